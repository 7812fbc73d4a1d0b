// The page: reads the data, joins player, camera, picture, bars and tables.

const TOGGLES = [["forces", "Forces", "v", true], ["cones", "Cones", "c", true], ["letters", "Letters", "l", true],
  ["path", "Path", "p", true], ["names", "Names", "n", false]];
const PANEL_PAUSE = 90; // ms between two fillings of the tables while it plays

class Page {
  constructor(data, column) {
    Object.assign(this, { data, column, runs: new Map(), point: [0, 0], cursor: null, touched: false, follow: false,
      filled: 0 });
    this.camera = new Camera();
    this.canvas = find("canvas");
    this.opening = data.opening || {};
    this.show = Object.fromEntries(TOGGLES.map(([name, , , on]) => [name, on]));
    this.show.names = Boolean(this.opening.names);
    this.colours = readColours();
    this.player = new Player(0, 1, data.speed || 1, () => this.ask());
    this.buildTools();
    if (data.form === "tree") this.tree = new TreeView(data.tree, (k) => this.run(k), (number) => this.select(number));
    this.timeline = new Timeline(find("timeline"), this.source());
    this.watch();
    showKeys(data.form);
    if (data.form === "sweep") this.startSweep();
    else this.select(data.form === "tree" ? data.tree.first : 0);
  }

  // The runs are read when they are first looked at
  run(place) {
    if (!this.runs.has(place)) {
      const own = this.data.runs[place];
      this.runs.set(place, new Run(own, this.data.scenes[own.scene], this.column, this.data.words));
    }
    return this.runs.get(place);
  }

  source() {
    return { player: this.player, tree: this.tree, line: () => this.line, style: () => ({ colours: this.colours }),
      notUnique: () => (this.tree ? this.data.notUnique : this.line.notUnique), followed: () => this.followed,
      writeTime: (time) => this.writeTime(time), select: (number) => this.select(number),
        tell: (event, text) => this.tell(event, text) };
  }

  startSweep() {
    find("main").classList.add("sweep");
    this.map = new SweepMap(this.data.sweep, this.column, { picked: (_, place) => this.pickRun(place),
      tell: (event, text) => this.tell(event, text), style: () => ({ colours: this.colours }) });
    fill(find("title"), this.opening.title || this.data.name);
    fill(find("facts"), this.data.note);
    if (this.data.runs.length) this.map.choose(this.data.runs[0].cell);
    else find("main").classList.add("bare");
  }

  pickRun(place) {
    find("main").classList.toggle("empty", place < 0);
    if (place >= 0) this.showLine(new Line([this.run(place)]));
  }

  // Follow a branch, or play the run of a cell
  select(number) {
    if (this.data.form === "sweep") return this.map.choose(number);
    if (!this.tree) return this.showLine(new Line([this.run(0)]));
    if (!this.tree.branches[number] || this.tree.branches[number].run < 0) return;
    this.chosen = number;
    this.followed = new Set(this.tree.ancestry(number).map((branch) => branch.number));
    this.showLine(this.tree.line(number), this.line !== undefined);
    this.tree.paint(number, this.colours);
  }

  showLine(line, keep = false) {
    const { player } = this, playing = player.playing;
    this.line = line;
    this.path = new Path(line, this.point);
    const ends = this.tree ? this.tree.shown.map((branch) => this.run(branch.run).end) : [line.end];
    Object.assign(player, { start: line.start, end: Math.max(...ends),
      events: line.events.map((event) => event.time) });
    if (!this.data.speed && !keep) player.speed = chooseSpeed(player.end - player.start);
    this.writeTime = timeWriter(player.end - player.start);
    const lines = this.tree ? this.tree.shown.map((branch) => new Line([this.run(branch.run)])) : [line];
    this.newtons = findForceScale(lines.flatMap((each) => each.runs));
    if (!keep) {
      this.lookAt(...findBox(lines));
      this.touched = false;
      player.time = line.start;
      this.last = null;
    }
    this.describe();
    this.showSpeed();
    this.refresh();
    player.playing = playing && keep;
    player.seek(player.time);
  }

  // What is seen at first: what the user has asked for, else all of the motion
  lookAt(box, follow) {
    const { view, follow: asked } = this.opening;
    this.box = view ? [view[0], view[2], view[1], view[3]] : box;
    this.follow = asked === null || asked === undefined ? follow && !view : asked;
  }

  describe() {
    const { scene, ending } = this.line, { data } = this, outcome = data.runs[0].outcome;
    if (data.form !== "sweep") fill(find("title"), this.opening.title || scene.name || data.name || "(without a name)");
    fill(find("summary"), scene.summary);
    const how = [ending.well ? "" : `${ending.status}:`, ending.happened, ending.message];
    const end = how.filter((words) => words).join(" ");
    const parts = [`${this.writeTime(this.line.start, 3)} to ${this.writeTime(this.line.end, 3)}`,
      count(this.line.events.length, "event"), end];
    if (data.form === "run" && outcome) parts.unshift(`outcome: ${outcome}`);
    if (data.form === "tree") parts[1] = `${data.tree.branches.length} branches, ${count(data.tree.leaves, "end")}`;
    if (data.form !== "sweep") fill(find("facts"), parts.join("  ·  "));
    showFacts(scene, data.form === "sweep" ? end : "");
  }

  buildTools() {
    const button = (text, title, act) => {
      const made = make("button", { type: "button", title }, text);
      made.addEventListener("click", act);
      find("tools").append(made);
      return made;
    };
    button("Show all", "0 or Home", () => this.reset());
    this.followButton = button("Follow", "f", () => this.toggleFollow());
    this.buttons = Object.fromEntries(TOGGLES.map(([name, text, key]) => [name,
      button(text, key, () => this.toggle(name))]));
  }

  refresh() {
    this.followButton.setAttribute("aria-pressed", String(this.follow));
    for (const [name, button] of Object.entries(this.buttons)) button.setAttribute("aria-pressed",
      String(this.show[name]));
  }

  toggle(name) {
    this.show[name] = !this.show[name];
    this.refresh();
    this.ask();
  }

  toggleFollow() {
    this.follow = !this.follow;
    this.last = null;
    this.refresh();
    this.ask();
  }

  reset() {
    this.touched = false;
    this.last = null;
    this.camera.fit(this.box);
    this.ask();
  }

  watch() {
    const { player } = this;
    find("play").addEventListener("click", () => player.toggle());
    find("back").addEventListener("click", () => player.step(-1));
    find("next").addEventListener("click", () => player.step(1));
    const speed = find("speed"), low = Math.min(SLOWEST, player.speed), high = Math.max(FASTEST, player.speed);
    Object.assign(speed, { min: Math.log10(low), max: Math.log10(high) });
    speed.addEventListener("input", () => (player.speed = roundSpeed(10 ** speed.value), this.showSpeed(), this.ask()));
    moveByHand(this.canvas, this.camera, { changed: () => this.move(), pressed: (x, y) => this.pick(x, y),
      hovered: (x, y) => ((this.cursor = x === null ? null : [x, y]), this.ask()) });
    document.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    new ResizeObserver(() => this.ask()).observe(this.canvas);
    new ResizeObserver(() => this.ask()).observe(find("timeline"));
  }

  recolour() {
    this.colours = readColours();
    if (this.tree) this.tree.paint(this.chosen, this.colours);
    if (this.map) this.map.draw();
    this.ask();
  }

  showSpeed() {
    find("speed").value = Math.log10(this.player.speed);
    fill(find("speedText"), writeSpeed(this.player.speed));
  }

  move() {
    this.touched = true;
    this.ask();
  }

  zoom(factor, x, y) {
    this.camera.zoom(factor, x, y);
    this.move();
  }

  pan(dx, dy) {
    this.camera.pan(dx, dy);
    this.move();
  }

  // A click on the part chooses the point whose path is drawn; a click beside it the centre of mass
  pick(x, y) {
    if (!this.line) return;
    const pose = this.line.pose(this.player.time), inside = isInside(this.camera, this.line.scene.part, pose, x, y);
    const [wx, wy] = this.camera.toWorld(x, y);
    this.point = inside ? turn([wx - pose[0], wy - pose[1]], -pose[2]) : [0, 0];
    const [cx, cy] = this.camera.toScreen(pose[0], pose[1]);
    if (Math.hypot(cx - x, cy - y) < 9) this.point = [0, 0];
    this.path = new Path(this.line, this.point);
    this.show.path = true;
    this.refresh();
    this.ask();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey
      || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    const step = 40, actions = {
      " ": () => this.player.toggle(), ",": () => this.player.step(-1), ".": () => this.player.step(1),
      "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), "−": () => this.zoom(0.8),
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0), ArrowUp: () => this.pan(0, step),
      ArrowDown: () => this.pan(0, -step), 0: () => this.reset(), Home: () => this.reset(),
        f: () => this.toggleFollow(),
      "[": () => this.neighbour(-1), "]": () => this.neighbour(1),
      ...Object.fromEntries(TOGGLES.map(([name, , key]) => [key, () => this.toggle(name)])),
    };
    if (!actions[event.key] || !this.line) return;
    event.preventDefault();
    actions[event.key]();
  }

  neighbour(way) {
    if (this.tree) {
      const all = this.tree.shown.map((branch) => branch.number);
      this.select(all[(all.indexOf(this.chosen) + way + all.length) % all.length]);
    } else if (this.map) {
      const all = this.data.runs.map((run) => run.cell), at = all.indexOf(this.map.cell);
      if (all.length) this.map.choose(all[(at + way + all.length) % all.length]);
    }
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (this.line) this.draw();
    });
  }

  aim(context) {
    const { camera, player } = this, pose = this.line.pose(player.time);
    if (!this.touched && (camera.width !== this.fitted?.[0] || camera.height !== this.fitted?.[1]
      || this.fitted[2] !== this.box)) {
      camera.fit(this.box);
      this.fitted = [camera.width, camera.height, this.box];
      this.last = null;
    }
    if (this.follow) {
      if (this.last) [camera.x, camera.y] = [camera.x + pose[0] - this.last[0], camera.y + pose[1] - this.last[1]];
      else [camera.x, camera.y] = pose;
      this.last = pose;
    }
    return context;
  }

  draw() {
    const context = fitCanvas(this.canvas, this.camera), { camera, colours, line, player, show, newtons } = this,
      time = player.time;
    this.aim(context);
    const style = { colours, newtons, ...show }, pose = line.pose(time), { part } = line.scene;
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, camera.width, camera.height);
    const writeAxes = drawAxes(context, camera, colours), contacts = line.contactsAt(time);
    drawObstacles(context, camera, line, time, colours);
    if (this.tree) this.tree.draw(context, camera, time, this.followed, colours);
    context.globalAlpha = 0.88;
    drawBody(context, camera, part, pose, { fill: colours.part });
    context.globalAlpha = 1;
    const edge = this.tree ? branchColour(this.tree.branches[this.chosen], colours) : colours.partEdge;
    drawBody(context, camera, part, pose, { stroke: edge, width: this.tree ? 2.4 : 1.5 });
    if (show.path) this.path.draw(context, camera, Math.min(time, line.end), this.tree ? edge : colours.trace);
    drawHeld(context, camera, line, time, style);
    drawMark(context, camera.toScreen(...placePoint(pose, ...this.point)), colours.partEdge);
    if (show.names) drawNames(context, camera, line, time, colours);
    drawContacts(context, camera, contacts, style);
    drawImpacts(context, camera, line, time, colours);
    drawGravity(context, camera, line.scene, time, colours);
    if (show.forces && (contacts.length || line.scene.gripper)) drawForceKey(context, camera, newtons, colours);
    writeAxes();
    this.timeline.draw();
    this.tellFeature(pose, time);
    this.fillPanels(time, contacts);
  }

  fillPanels(time, contacts) {
    const { line, player } = this, now = performance.now();
    fill(find("time"), this.writeTime(time));
    fill(find("play"), player.playing ? "Pause" : "Play");
    if (player.playing && now - this.filled < PANEL_PAUSE) return;
    this.filled = now;
    const note = describeInstant(line, time);
    find("note").hidden = !note;
    if (note) fill(find("note"), note[0]), (find("note").className = note[1]);
    const here = line.events.filter((event) => event.time === time).map(({ run, k }) => run.describeEvent(k));
    fill(find("event"), [...new Set(here)].join("; "));
    find("event").title = find("event").textContent;
    showContacts(contacts, line.at(time).impulsesAt(time));
    showState(line, time, this.point);
    showEnergies(line.at(time), time);
  }

  // The name of what lies under the pointer
  tellFeature(pose, time) {
    if (!this.cursor) return this.tell(null, "", this.canvas);
    const [x, y] = this.cursor, { scene } = this.line, found = [];
    const bodies = [[scene.part, pose, ""], ...scene.obstacles.map((body, k) => [body, this.line.obstaclePose(k, time),
      describeBody(body)])];
    for (const [body, at, words] of bodies) {
      const feature = findFeature(this.camera, body, at, x, y);
      if (feature) found.push({ away: feature.distance, text: `${body.name}: ${feature.word} ${feature.number}` });
      else if (isInside(this.camera, body, at, x, y)) found.push({ away: 20,
        text: `${body.name}${words ? `\n${words}` : ""}` });
    }
    found.sort((a, b) => a.away - b.away);
    const near = found.filter((each) => each.away < 20);
    this.tellAt(this.canvas, x, y, (near.length ? near : found.slice(0, 1)).map((each) => each.text).join("\n"));
  }

  tell(event, text, canvas) {
    if (!event) return (!canvas || this.told === canvas) && (find("tip").hidden = true);
    const box = event.target.getBoundingClientRect();
    this.tellAt(event.target, event.clientX - box.left, event.clientY - box.top, text);
  }

  tellAt(canvas, x, y, text) {
    const tip = find("tip"), box = canvas.getBoundingClientRect();
    this.told = canvas;
    tip.hidden = !text;
    if (!text) return;
    fill(tip, text);
    const left = box.left + x + 14, right = document.documentElement.clientWidth - tip.offsetWidth - 6;
    tip.style.left = `${Math.max(4, Math.min(left, right))}px`;
    tip.style.top = `${Math.max(4, box.top + y - tip.offsetHeight - 10)}px`;
  }
}

// A speed of 1, 2 or 5 times a power of ten at which a run takes from 4 to 10 s; real time if that does
function chooseSpeed(span) {
  if (span >= 2 && span <= 20) return 1;
  const [digit, exponent] = chooseStep((span || 1) / 10);
  return Math.min(Math.max(digit * 10 ** exponent, SLOWEST), FASTEST);
}

function roundSpeed(speed) {
  return Math.abs(Math.log10(speed)) < 0.06 ? 1 : Number(speed.toPrecision(2));
}

async function start() {
  const data = JSON.parse(find("data").textContent), column = await unpackColumns(data.columns);
  const page = new Page(data, column);
  window.stiction = {
    seek: (time) => page.player.seek(time), play: () => page.player.play(), pause: () => page.player.pause(),
    pose: (time) => page.line.pose(time), obstaclePose: (index, time) => page.line.obstaclePose(index, time),
    contacts: (time) => page.line.contactsAt(time), impulses: (time) => page.line.at(time).impulsesAt(time),
    zoom: (factor, x, y) => page.zoom(factor, x, y),
    select: (number) => page.select(number), view: () => ({ x: page.camera.x, y: page.camera.y,
      scale: page.camera.scale,
      width: page.camera.width, height: page.camera.height, time: page.player.time, speed: page.player.speed,
      playing: page.player.playing, follow: page.follow, chosen: page.map ? page.map.cell : page.chosen }),
  };
}

start().catch((error) => {
  find("note").hidden = false;
  find("note").className = "stop";
  fill(find("note"), typeof DecompressionStream === "undefined" ? "This browser is too old for this page."
    : String(error));
  throw error;
});
