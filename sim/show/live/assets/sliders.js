// Sliders: one row for each number that is shown; numbers that are not are found by words of their paths.
//
//   sliders = new Sliders(numbers, { dragged(values), released(values) })    values: {path: number} of what was changed
//   sliders.reset();  sliders.values

const MOST_FOUND = 40; // results of a search that are shown
const STEPS = 1000; // of a slider

class Sliders {
  constructor(numbers, { dragged, released }) {
    Object.assign(this, { numbers, dragged, released, values: {}, rows: new Map(), groups: new Map() });
    for (const number of numbers) if (number.at_once) this.show(number);
    find("search").addEventListener("input", () => this.search());
    find("search").addEventListener("keydown", (event) => {
      if (event.key === "Enter") find("found").querySelector("button")?.click();
      if (event.key === "Escape") this.closeSearch();
    });
  }

  // A row for a number, below the heading of its group; the one that is there, where there is one
  show(number) {
    const known = this.rows.get(number.path);
    if (known) return known;
    const row = new Slider(number, this);
    this.rows.set(number.path, row);
    if (!this.groups.has(number.group)) {
      const group = make("div", { class: "group" }, make("h2", {}, number.group));
      this.groups.set(number.group, group);
      find("sliders").append(group);
    }
    this.groups.get(number.group).append(row.element);
    return row;
  }

  set(path, value, isReleased) {
    if (value === null) delete this.values[path];
    else this.values[path] = value;
    (isReleased ? this.released : this.dragged)(this.values);
  }

  reset() {
    this.values = {};
    for (const row of this.rows.values()) row.write(null);
    this.released(this.values);
  }

  search() {
    const words = find("search").value.toLowerCase().split(/[\s.]+/).filter(Boolean), box = find("found");
    box.replaceChildren();
    box.hidden = !words.length;
    if (!words.length) return;
    const found = this.numbers.filter(({ path, group, name }) => {
      const text = `${path} ${group} ${name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    for (const number of found.slice(0, MOST_FOUND))
      box.append(make("button", { onclick: () => this.choose(number) }, make("span", { class: "path" }, number.path),
        make("span", { class: "value" }, `${writeDigits(number.value)} ${number.unit}`)));
    if (!found.length) box.append(make("p", { class: "small" }, "No number of the scene has such a path."));
    if (found.length > MOST_FOUND)
      box.append(make("p", { class: "small" }, `and ${found.length - MOST_FOUND} more; a further word finds fewer`));
  }

  choose(number) {
    this.closeSearch();
    const { element, range } = this.show(number);
    element.scrollIntoView({ block: "nearest" });
    range.focus();
  }

  closeSearch() {
    find("search").value = "";
    this.search();
  }
}

class Slider {
  constructor(number, owner) {
    Object.assign(this, { number, owner, low: number.low, high: number.high });
    const { path, name, unit, value } = number, label = name === path ? path : `${name}`;
    this.range = make("input", { type: "range", "aria-label": path, oninput: () => this.move(false),
      onchange: () => this.move(true), ondblclick: () => this.reset() });
    this.field = make("input", { type: "number", step: "any", class: "field", "aria-label": `${path}${unit ? ` in ${unit}` : ""}`,
      onchange: () => this.type() });
    this.back = make("button", { class: "back", title: `Back to ${writeField(value)} ${unit}`, onclick: () => this.reset() }, "↺");
    this.ends = ["low", "high"].map((end) => make("input", { type: "number", step: "any", class: `end ${end}`,
      title: `${end === "low" ? "Left" : "Right"} end of the slider`, "aria-label": `${end} end of the range of ${path}`,
      onchange: (event) => this.widen(end, event.target.valueAsNumber) }));
    this.home = make("i", { class: "home", title: "as it was" });
    const title = make("label", { title: path, ondblclick: () => this.reset() }, label);
    title.className = name === path ? "path" : "";
    this.element = make("div", { class: "slider" }, make("div", { class: "head" }, title, this.back, this.field,
      make("span", { class: "unit" }, unit)), this.range, make("div", { class: "ends" }, ...this.ends, this.home));
    this.setRange();
    this.write(null);
  }

  get present() {
    return this.owner.values[this.number.path] ?? this.number.value;
  }

  setRange() {
    const { range, low, high, number } = this;
    Object.assign(range, { min: low, max: high, step: number.is_whole ? 1 : (high - low) / STEPS || "any" });
    this.ends[0].value = writeField(low);
    this.ends[1].value = writeField(high);
  }

  // Show a value; null: that of the scene as it was opened
  write(value) {
    const shown = value ?? this.number.value;
    this.range.value = shown;
    if (document.activeElement !== this.field || value === null) this.field.value = writeField(shown);
    this.element.classList.toggle("changed", value !== null);
    this.back.hidden = value === null;
    const share = (this.number.value - this.low) / (this.high - this.low || 1);
    this.home.style.setProperty("--home", Math.min(Math.max(share, 0), 1));
  }

  move(isReleased) {
    const value = Number(Number(this.range.value).toPrecision(9)); // without what the steps leave of binary fractions
    this.write(value);
    this.field.value = writeField(value);
    this.owner.set(this.number.path, value, isReleased);
  }

  type() {
    const value = this.field.valueAsNumber;
    if (!Number.isFinite(value)) return this.write(this.owner.values[this.number.path] ?? null);
    if (value < this.low) this.low = value;
    if (value > this.high) this.high = value;
    this.setRange();
    this.write(value);
    this.owner.set(this.number.path, value, true);
  }

  widen(end, value) {
    const other = end === "low" ? this.high : this.low;
    if (Number.isFinite(value) && (end === "low" ? value < other : value > other)) this[end] = value;
    this.setRange();
    this.write(this.owner.values[this.number.path] ?? null);
  }

  reset() {
    this.write(null);
    this.owner.set(this.number.path, null, true);
  }
}
