// The tables beside the picture: contacts that are there, state, energies, the scene in short, keys.

const ENERGY_WORDS = [["kinetic", "kinetic energy"], ["spring_energy", "stored in springs"],
  ["work_load", "work of loads"],
  ["work_obstacles", "work of obstacles"], ["work_friction", "work of friction"], ["work_impact", "work of impacts"],
  ["damper_work", "work of dampers"]];
const KIND_WORDS = { none: "no acceleration satisfies the contact laws",
  several: "motion not unique: several accelerations are possible",
  continuum: "motion not unique: a continuum of accelerations is possible" };
const LETTER_WORDS = { s: "separates", n: "rolls: no slip", r: "slides, slip > 0", l: "slides, slip < 0",
  a: "approaches" };

function fillTable(section, rows) {
  const body = make("tbody", {}, ...rows.map(([what, value]) => make("tr", {}, make("td", {}, what),
    make("td", {}, value))));
  fill(section.querySelector("div"), make("table", {}, body));
}

function showContacts(contacts, impulses) {
  const section = find("contacts").querySelector("div");
  fill(section, contacts.length ? tabulateContacts(contacts)
    : make("p", { className: "small" }, impulses.length ? "none after the impact: the part is free"
      : "none: the part is free"));
  if (impulses.length) section.append(tabulateImpulses(impulses));
}

function tabulate(heads, rows) {
  const head = make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text))));
  return make("table", { className: "contacts" }, head, make("tbody", {}, ...rows));
}

function tabulateImpulses(impulses) {
  return tabulate(["normal impulse", "friction impulse"], impulses.flatMap(({ where, fn, ft }) => [
    make("tr", { className: "name" }, make("td", { colSpan: 2 }, where)),
    make("tr", { className: "values" }, ...[fn, ft].map((each) => make("td", {}, writeQuantity(each, "N s"))))]));
}

function tabulateContacts(contacts) {
  const rows = contacts.flatMap((contact) => {
    const chip = contact.letter ? [make("span", { className: "chip", title: LETTER_WORDS[contact.letter] || "" },
      contact.letter)] : [];
    const name = make("td", { colSpan: 3 }, ...chip, `${contact.own} on ${contact.name}, ${contact.other}`);
    const slip = writeQuantity(Math.abs(contact.slip) < 1e-12 ? 0 : contact.slip, "m/s", 3);
    const forces = isUnbounded(contact) ? [make("td", { colSpan: 2, className: "jammed" }, "unbounded (jammed)")]
      : [make("td", {}, writeQuantity(contact.fn, "N")), make("td", {}, writeQuantity(contact.ft, "N"))];
    return [make("tr", { className: "name" }, name),
      make("tr", { className: "values" }, ...forces, make("td", {}, slip))];
  });
  return tabulate(["normal", "friction", "slip"], rows);
}

function showState(line, time, point) {
  const [x, y, theta] = line.pose(time), [vx, vy, omega] = line.pose(time, 1),
    rows = [["x", writePlace(x)], ["y", writePlace(y)],
    ["angle", writeAngle(theta)], ["velocity x", writeQuantity(vx, "m/s")], ["velocity y", writeQuantity(vy, "m/s")],
    ["turning", writeQuantity(omega, "rad/s")]];
  if (point[0] || point[1]) {
    const [px, py] = placePoint([x, y, theta], ...point);
    rows.push(["point x", writePlace(px)], ["point y", writePlace(py)]);
  }
  fillTable(find("state"), rows);
}

const writePlace = (metres) => `${writeNumber(metres * 1e3, 6)} mm`;

function showEnergies(run, time) {
  const row = run.row(time), rows = [];
  for (const [name, words] of ENERGY_WORDS)
    if (run.rows[name]) rows.push([words, writeQuantity(run.rows[name][row], "J")]);
  fillTable(find("energies"), rows);
}

function showFacts(scene, ending) {
  const list = make("dl");
  const facts = ending ? [...scene.facts, ["end", ending]] : scene.facts;
  for (const [what, value] of facts) list.append(make("dt", {}, what), make("dd", {}, value));
  fill(find("scene").querySelector("div"), list);
}

function showKeys(form) {
  const keys = [["space", "play, pause"], [", .", "previous, next event"], ["+ − ← ↑ → ↓", "zoom, move"],
    ["0", "show all"],
    ["f", "follow the part"], ["v c l p n", "forces, cones, letters, path, names"],
      ["click", "on the part: the path of that point"]];
  if (form === "tree") keys.push(["[ ]", "previous, next branch"]);
  if (form === "sweep") keys.push(["[ ]", "previous, next run"]);
  const letters = Object.entries(LETTER_WORDS).map(([letter, what]) => [letter, `a contact ${what}`]);
  const list = make("dl");
  for (const [key, what] of keys)
    list.append(make("dt", {}, ...key.split(" ").flatMap((each) => [make("kbd", {}, each), " "])),
      make("dd", {}, what));
  for (const [letter, what] of letters)
    list.append(make("dt", {}, make("span", { className: "chip" }, letter)), make("dd", {}, what));
  fill(find("keys").querySelector("div"), list);
}

// Friction, restitution and motion of an obstacle
function describeBody(body) {
  const words = [`µ ${Number(body.mu.toPrecision(6))}`];
  if (body.e) words.push(`e ${Number(body.e.toPrecision(6))}`);
  if (body.motion) words.push("moves");
  if (body.surface) words.push("its surface runs");
  return words.join(", ");
}

// What must be said of an instant: [text, class], or null
function describeInstant(line, time) {
  const run = line.at(time), row = run.row(time),
    last = row === run.rows.time.length - 1 && run === line.runs[line.runs.length - 1];
  if (last && !run.ending.well) return [run.ending.status === "RUNNING" ? "the log ends here: the run was not complete"
    : run.ending.happened, "stop"];
  const kind = run.words.kinds[run.rows.kind[row]];
  return KIND_WORDS[kind] ? [KIND_WORDS[kind], kind === "none" ? "stop" : ""] : null;
}
