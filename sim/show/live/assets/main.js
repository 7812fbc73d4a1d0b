// The page: sliders ask, the picture and the answers show. What is old is the state when a slider was last let go.

class LivePage {
  async start() {
    const scene = await askServer("/scene");
    if (scene.error) return this.fail(scene.error);
    Object.assign(this, { scene, settled: null, last: null, isFirst: true });
    find("name").textContent = scene.name;
    find("summary").textContent = scene.summary;
    this.picture = new Picture();
    this.space = new Space();
    this.answers = new Answers(() => this.refresh());
    const gone = (message) => this.fail(message);
    this.runs = new Runs(this.picture, gone);
    this.instants = new Newest("/instant", { answered: (...what) => this.take(...what), gone,
      waiting: () => this.tell(this.last ? "computing …" : "preparing …", "busy") });
    this.sliders = new Sliders(scene.numbers, { dragged: (values) => this.drag(values), released: (values) => this.release(values) });
    this.listen();
    this.tell("preparing …", "busy");
    this.instants.want({});
    this.runs.ask({});
  }

  drag(values) {
    if (!this.isDragging) this.settled = this.last;
    this.isDragging = true;
    this.picture.show({ isDragging: true });
    this.runs.rest();
    this.instants.want(values);
  }

  release(values) {
    if (!this.isDragging) this.settled = this.last;
    this.isDragging = false;
    this.picture.show({ isDragging: false });
    this.runs.rest();
    this.instants.want(values);
    this.runs.ask(values);
  }

  take(answer, values, milliseconds) {
    const { picture } = this;
    find("trouble").hidden = !answer.error;
    find("trouble").textContent = answer.error || "";
    picture.show({ isStale: Boolean(answer.error) });
    document.body.classList.toggle("stale", Boolean(answer.error));
    this.tell(this.isFirst ? "ready" : `${milliseconds < 9.95 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms`, "ready");
    if (answer.error) return;
    this.last = { instant: answer.instant, bodies: answer.bodies || this.scene.bodies, values };
    this.refresh();
    if (this.isFirst) picture.fit("part");
    this.isFirst = false;
  }

  refresh() {
    const { last, settled, picture } = this, old = settled && picture.showsOld ? settled : null;
    picture.show({ bodies: last.bodies, instant: last.instant, old, answer: this.answers.find(last.instant) });
    this.answers.show(last.instant, old && old.instant);
    this.space.show(last.instant, old && old.instant);
    this.writeLegend();
    Object.assign(find("badge"), { textContent: KIND_WORDS[last.instant.kind], className: `kind kind-${last.instant.kind}` });
  }

  writeLegend() {
    const items = [["cone", "friction cone"], ["normal", "normal force"], ["friction", "friction"], ["accelerating", "acceleration"],
      ["trace", "path"]];
    find("legend").replaceChildren(...items.map(([name, word]) => make("span", {}, make("i", { class: `swatch ${name}` }), word)));
  }

  listen() {
    const { picture } = this, click = (id, act) => find(id).addEventListener("click", act);
    click("reset", () => this.sliders.reset());
    click("copy-command", () => this.copy("command"));
    click("copy-toml", () => this.copy("toml"));
    click("fit-part", () => picture.fit("part"));
    click("fit-contacts", () => picture.fit("contacts"));
    click("fit-all", () => picture.fit("all"));
    click("show-old", () => this.toggleOld());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (picture.readColours(), this.space.readColours()));
    const keys = { r: "reset", c: "copy-command", p: "fit-part", t: "fit-contacts", f: "fit-all", o: "show-old", " ": "run-play", ",": "run-back",
      ".": "run-next" };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const types = event.target.matches("input:not([type=range]), select, textarea");
      if (event.key === "/" && !types) {
        event.preventDefault();
        find("search").focus();
      } else if (!types && keys[event.key] && !(event.key === " " && event.target.matches("button, summary"))) {
        event.preventDefault();
        find(keys[event.key]).click();
      }
    });
  }

  toggleOld() {
    const shows = !this.picture.showsOld;
    find("show-old").setAttribute("aria-pressed", String(shows));
    this.picture.show({ showsOld: shows });
    if (this.last) this.refresh();
  }

  async copy(what) {
    try {
      const answer = await askServer("/text", this.sliders.values);
      if (answer.error) return this.toast(answer.error);
      await writeClipboard(what === "toml" ? answer.text : answer.command);
      this.toast(what === "toml" ? "The scene is in the clipboard, as TOML." : answer.command);
    } catch (error) {
      if (!(error instanceof ServerGone)) throw error;
      this.fail(error.message);
    }
  }

  toast(text) {
    const box = find("toast");
    box.textContent = text;
    box.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (box.hidden = true), 4000);
  }

  tell(text, state) {
    Object.assign(find("state"), { textContent: text, className: state });
  }

  fail(message) {
    this.tell(message, "gone");
  }
}

// The clipboard, also where a browser keeps it from pages that are not secure: then by a field that is selected
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch (error) {
    const field = make("textarea", { class: "away" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

new LivePage().start();
