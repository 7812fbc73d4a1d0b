// Runs: one is asked for when a slider is let go; it is played here, and its outcome stands beside that of the one before.

const SPEEDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const SHOWN_SECONDS = 4; // about so long a run plays at first [s]

class Runs {
  constructor(picture, gone) {
    Object.assign(this, { picture, gone, asked: 0, present: null, former: null, player: null, isRunning: false });
    for (const speed of SPEEDS) find("run-speed").append(make("option", { value: speed }, `× ${speed}`));
    find("run-speed").addEventListener("change", () => this.player && (this.player.speed = Number(find("run-speed").value)));
    find("run-play").addEventListener("click", () => this.player?.toggle());
    find("run-back").addEventListener("click", () => this.player?.step(-1));
    find("run-next").addEventListener("click", () => this.player?.step(1));
    find("run-time").addEventListener("input", () => {
      if (!this.player) return;
      this.player.playing = false;
      this.player.seek(Number(find("run-time").value));
    });
  }

  async ask(values) {
    const number = ++this.asked;
    this.isRunning = true;
    this.write();
    try {
      const answer = await askServer("/run", values);
      if (number !== this.asked || answer.superseded) return;
      this.isRunning = false;
      await this.take(answer);
    } catch (error) {
      if (!(error instanceof ServerGone)) throw error;
      this.isRunning = false;
      this.gone(error.message);
    }
  }

  async take(answer) {
    const number = this.asked;
    let line = null;
    if (answer.run) {
      const data = answer.run, column = await unpackColumns(data.columns);
      if (number !== this.asked) return;
      line = new Line([new Run(data.runs[0], data.scenes[0], column, data.words)]);
    }
    if (this.present) this.former = this.present;
    this.present = { ...answer, line };
    this.picture.showLines(line, this.former?.line || null);
    this.prepare(line);
    this.write();
  }

  // The state of the sliders is shown again, and not a time of the run
  rest() {
    if (!this.player) return;
    this.player.playing = false;
    if (this.player.time !== this.player.start) this.player.seek(this.player.start);
  }

  prepare(line) {
    this.player?.pause();
    this.player = null;
    const canPlay = Boolean(line && line.end > line.start);
    for (const id of ["run-play", "run-back", "run-next", "run-time"]) find(id).disabled = !canPlay;
    find("run-clock").textContent = "";
    find("run-time").value = 0;
    if (!canPlay) return;
    const wanted = (line.end - line.start) / SHOWN_SECONDS, speed = SPEEDS.reduce((best, each) => (
      Math.abs(Math.log(each / wanted)) < Math.abs(Math.log(best / wanted)) ? each : best));
    find("run-speed").value = String(speed);
    Object.assign(find("run-time"), { min: line.start, max: line.end, value: line.start });
    this.player = new Player(line.start, line.end, speed, () => this.move());
    this.player.events = line.events.map((event) => event.time);
    this.move();
  }

  move() {
    const { player } = this;
    if (!player) return;
    find("run-play").textContent = player.playing ? "Pause" : "Play";
    find("run-time").value = player.time;
    find("run-clock").replaceChildren(writeTime(player.time), make("span", { class: "of" }, ` of ${writeTime(player.end)}`));
    this.picture.show({ time: player.time });
  }

  write() {
    const rows = [];
    if (this.present) rows.push(this.makeRow("Run", this.present, this.former));
    if (this.former) rows.push(this.makeRow("Before", this.former, null));
    const parts = [];
    if (rows.length) parts.push(make("table", {}, make("thead", {}, make("tr", {}, ...["", "outcome", "end", "events", "how it ended"].map(
      (word) => make("th", {}, word)))), make("tbody", {}, ...rows)));
    for (const note of this.present?.notes || []) parts.push(make("p", { class: "small note" }, note));
    if (this.isRunning) parts.push(make("p", { class: "small", id: "running" }, "running …"));
    else if (!rows.length) parts.push(make("p", { class: "small" }, "Let a slider go, and the motion is followed."));
    find("runs").replaceChildren(...parts);
  }

  makeRow(word, run, other) {
    if (run.error) return make("tr", {}, make("th", {}, word), make("td", { colspan: 4, class: "error" }, run.error));
    const differs = Boolean(other && !other.error && other.outcome !== run.outcome);
    return make("tr", { class: word === "Run" ? "present" : "former" }, make("th", {}, word),
      make("td", { class: differs ? "outcome differs" : "outcome" }, run.outcome || "–"), make("td", {}, writeTime(run.end)),
      make("td", {}, run.line ? String(run.line.events.length) : "–"), make("td", {}, run.status));
  }
}
