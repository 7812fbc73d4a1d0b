// The server: one request of each kind at a time, the newest values only, with the token in a header.
//
//   askServer(path, values) -> answer          throws ServerGone where nobody answers
//   new Newest(path, { answered, waiting, gone })    want(values): asks as soon as the last answer is here; older wishes
//                                                    lapse, and values that were asked last are not asked again

const TOKEN = new URLSearchParams(location.search).get("token") || "";
const PATIENCE = 400; // ms after which the page says that it waits

class ServerGone extends Error {}

async function askServer(path, values) {
  const headers = { "X-Stiction-Token": TOKEN };
  const options = { headers, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };
  if (values) {
    headers["Content-Type"] = "application/json";
    Object.assign(options, { method: "POST", body: JSON.stringify({ values }) });
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    throw new ServerGone("The server has ended. Start `stiction view` again.");
  }
  try {
    return await response.json();
  } catch (error) {
    return { error: `The server answered ${response.status}.` };
  }
}

class Newest {
  constructor(path, { answered, waiting = () => {}, gone }) {
    Object.assign(this, { path, answered, waiting, gone, wanted: null, last: "", busy: false });
  }

  want(values) {
    const text = JSON.stringify(values);
    if (text === this.last) return;
    this.last = text;
    this.wanted = { ...values };
    if (!this.busy) this.pump();
  }

  async pump() {
    this.busy = true;
    try {
      while (this.wanted) {
        const values = this.wanted, began = performance.now();
        this.wanted = null;
        const timer = setTimeout(this.waiting, PATIENCE);
        try {
          const answer = await askServer(this.path, values);
          this.answered(answer, values, performance.now() - began);
        } finally {
          clearTimeout(timer);
        }
      }
    } catch (error) {
      if (!(error instanceof ServerGone)) throw error;
      this.gone(error.message);
    } finally {
      this.busy = false;
    }
  }
}
