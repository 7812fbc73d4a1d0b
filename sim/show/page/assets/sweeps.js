// The map of a sweep: cells coloured by outcome over two axes (or one), selectors of the others, and which cell plays.

const NOT_RUN = 255, MAP_ROOM = { left: 78, right: 12, top: 10, bottom: 44 };

class SweepMap {
  // data: of the sweep; column: reads a column; picked(cell), tell(event, text), style()
  constructor(data, column, { picked, tell, style }) {
    Object.assign(this, { data, picked, tell, style, cell: -1 });
    for (const name of ["outcome", "endTime", "chosen", "run"]) this[name] = column(data[name]);
    this.dimensions = data.dimensions.map((each) => ({ ...each, place: each.place && column(each.place),
      at: each.at && column(each.at) }));
    const wide = this.dimensions.map((each, k) => [each, k]).filter(([each]) => each.random || each.words.length > 1
      && each.name !== "sample");
    this.x = wide.length ? wide[0][1] : 0;
    this.y = wide.length > 1 ? wide[1][1] : -1;
    this.fixed = this.dimensions.map(() => 0);
    this.build();
  }

  build() {
    this.choosers = make("div", { className: "choosers" });
    this.canvas = make("canvas", { tabIndex: 0 });
    this.canvas.setAttribute("aria-label", "map of outcomes; arrows choose a cell, Enter plays its run");
    this.legend = make("div", { className: "legend" });
    this.message = make("p", { className: "small", role: "status" });
    find("map").append(make("h2", {}, "Outcomes"), this.choosers, this.canvas, this.legend, this.message);
    find("map").hidden = false;
    this.buildChoosers();
    this.few = this.run.filter((place) => place >= 0).length < 0.6 * this.run.length;
    this.data.words.forEach((word, k) => {
      const swatch = make("span", { className: "swatch" });
      swatch.style.background = this.data.colours[k];
      this.legend.append(make("span", {}, swatch, `${word} ${this.outcome.reduce((n, code) => n + (code === k), 0)}`));
    });
    if (this.few && this.run.some((place) => place >= 0)) this.legend.append(make("span", {}, "▷ its run plays"));
    if (this.chosen.some((each) => each)) this.legend.append(make("span", {}, "• several motions were possible"));
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.tell(null));
    this.canvas.addEventListener("click", (event) => {
      const cell = this.findCell(...this.place(event));
      if (cell >= 0) this.choose(cell);
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  buildChoosers() {
    const many = this.dimensions.length > 1, rows = [];
    const pick = (label, value, none, change) => {
      const select = make("select", {}, ...(none ? [make("option", { value: "-1" }, "(strip)")] : []),
        ...this.dimensions.map((each, k) => make("option", { value: String(k) }, each.name)));
      select.value = String(value);
      select.addEventListener("change", () => (change(Number(select.value)), this.buildChoosers(), this.draw()));
      rows.push(make("label", {}, `${label} `, select));
    };
    if (many) {
      pick("across", this.x, false, (k) => ([this.x, this.y] = [k, k === this.y ? this.x : this.y]));
      pick("up", this.y, true, (k) => ([this.y, this.x] = [k,
        k === this.x ? (this.y < 0 ? (k + 1) % this.dimensions.length : this.y) : this.x]));
    }
    this.others().forEach((k) => {
      const each = this.dimensions[k], select = make("select", {},
        ...each.words.map((word, n) => make("option", { value: String(n) }, word)));
      select.value = String(this.fixed[k]);
      select.addEventListener("change", () => ((this.fixed[k] = Number(select.value)), this.draw()));
      rows.push(make("label", {}, `${each.name} = `, select));
    });
    fill(this.choosers, ...rows);
  }

  // Dimensions that need one value each: those not shown, but samples where points are drawn at random places
  others() {
    const scatter = this.scatter;
    return this.dimensions.map((_, k) => k).filter((k) => {
      const each = this.dimensions[k];
      return k !== this.x && k !== this.y && !each.random && each.words.length > 1
        && !(scatter && each.name === "sample");
    });
  }

  get scatter() {
    return [this.x, this.y].some((k) => k >= 0 && this.dimensions[k].random);
  }

  cells() {
    const others = this.others(), found = [];
    for (let cell = 0; cell < this.outcome.length; cell++)
      if (others.every((k) => this.dimensions[k].place[cell] === this.fixed[k])) found.push(cell);
    return found;
  }

  // [low, high, value of a cell, borders of a place] of a dimension on an axis
  axis(k) {
    if (k < 0) return { low: 0, high: 1, at: () => 0.5, borders: () => [0, 1], ticks: [] };
    const each = this.dimensions[k];
    if (each.random) {
      const values = [...each.at], low = Math.min(...values), high = Math.max(...values),
        room = 0.03 * (high - low) || 1;
      return { low: low - room, high: high + room, at: (cell) => each.at[cell],
        ticks: listTicks(low - room, high + room, 6) };
    }
    const n = each.words.length, given = each.values && n > 1 && each.values.every((v, i, all) => !i || v > all[i - 1]);
    const values = given ? each.values : each.words.map((_, i) => i);
    const edge = (i) => (i <= 0 ? values[0] - (n > 1 ? (values[1] - values[0]) / 2 : 0.5)
      : i >= n ? values[n - 1] + (n > 1 ? (values[n - 1] - values[n - 2]) / 2 : 0.5) : (values[i - 1] + values[i]) / 2);
    return { low: edge(0), high: edge(n), at: (cell) => values[each.place[cell]],
      borders: (cell) => [edge(each.place[cell]), edge(each.place[cell] + 1)],
      ticks: given && n > 9 ? listTicks(values[0], values[n - 1], 6)
        : values.map((value, i) => [value, each.words[i]]) };
  }

  draw() {
    const context = fitCanvas(this.canvas), box = this.canvas.getBoundingClientRect(), { colours } = this.style();
    const { left, right, top, bottom } = MAP_ROOM, [x, y] = [this.axis(this.x), this.axis(this.y)];
    const width = box.width - left - right, height = box.height - top - bottom;
    this.toX = (value) => left + ((value - x.low) / (x.high - x.low)) * width;
    this.toY = (value) => top + height - ((value - y.low) / (y.high - y.low)) * height;
    context.clearRect(0, 0, box.width, box.height);
    this.boxes = this.cells().map((cell) => this.boxOf(cell, x, y));
    for (const { cell, x0, y0, w, h } of this.boxes) {
      const code = this.outcome[cell];
      context.fillStyle = code === NOT_RUN ? colours.grid : this.data.colours[code];
      if (this.scatter) {
        context.beginPath();
        context.arc(x0 + w / 2, y0 + h / 2, this.run[cell] >= 0 ? 4.5 : 3, 0, 2 * Math.PI);
        context.fill();
        continue;
      }
      context.fillRect(x0, y0, w, h);
      this.mark(context, cell, x0, y0, w, h);
    }
    this.drawChosen(context, colours);
    this.label(context, colours, x, y, box);
  }

  boxOf(cell, x, y) {
    if (this.scatter) return { cell, x0: this.toX(x.at(cell)) - 4, y0: this.toY(y.at(cell)) - 4, w: 8, h: 8 };
    const [a, b] = x.borders(cell).map(this.toX), [d, c] = y.borders(cell).map(this.toY);
    const [x0, y0, x1, y1] = [a, c, b, d].map(Math.round); // whole pixels: no seams between cells
    return { cell, x0, y0, w: x1 - x0, h: y1 - y0 };
  }

  // Cells with a run have a triangle, where not nearly all have one; where the rule of choice chose, a dot
  mark(context, cell, x0, y0, w, h) {
    const size = Math.min(5, w / 3, h / 3), [x, y] = [x0 + w / 2, y0 + h / 2];
    if (size < 1) return;
    if (this.run[cell] >= 0 && this.few) {
      context.beginPath();
      context.moveTo(x - 0.7 * size, y - size), context.lineTo(x + size, y), context.lineTo(x - 0.7 * size, y + size);
      context.closePath();
      Object.assign(context, { fillStyle: "#ffffff", strokeStyle: "#2b2b2b", lineWidth: 2, lineJoin: "round" });
      context.stroke(), context.fill();
    } else if (this.chosen[cell]) {
      context.fillStyle = "#2b2b2b";
      context.fillRect(x - 1, y - 1, 2, 2);
    }
  }

  drawChosen(context, colours) {
    const own = this.boxes.find(({ cell }) => cell === this.cell);
    if (!own) return;
    Object.assign(context, { strokeStyle: "#ffffff", lineWidth: 4 });
    context.strokeRect(own.x0, own.y0, own.w, own.h);
    Object.assign(context, { strokeStyle: "#000000", lineWidth: 2 });
    context.strokeRect(own.x0, own.y0, own.w, own.h);
  }

  label(context, colours, x, y, box) {
    Object.assign(context, { font: "11px system-ui, sans-serif", fillStyle: colours.faint, textAlign: "center",
      textBaseline: "top" });
    let last = -Infinity;
    for (const [value, text] of x.ticks) {
      const at = this.toX(value), half = context.measureText(text).width / 2;
      if (at - half < last + 6 || at + half > box.width) continue;
      context.fillText(text, at, box.height - MAP_ROOM.bottom + 5);
      last = at + half;
    }
    const name = (k) => (this.dimensions[k].unit ? `${this.dimensions[k].meaning} (${this.dimensions[k].unit})`
      : this.dimensions[k].meaning);
    context.fillStyle = colours.text;
    context.fillText(name(this.x), MAP_ROOM.left + (box.width - MAP_ROOM.left - MAP_ROOM.right) / 2, box.height - 18);
    if (this.y < 0) return;
    Object.assign(context, { fillStyle: colours.faint, textAlign: "right", textBaseline: "middle" });
    last = Infinity;
    for (const [value, text] of y.ticks) {
      const at = this.toY(value);
      if (at > last - 13) continue;
      context.fillText(text, MAP_ROOM.left - 6, at, MAP_ROOM.left - 24);
      last = at;
    }
    context.save();
    context.translate(10, MAP_ROOM.top + (box.height - MAP_ROOM.top - MAP_ROOM.bottom) / 2);
    context.rotate(-Math.PI / 2);
    Object.assign(context, { fillStyle: colours.text, textAlign: "center", textBaseline: "middle" });
    context.fillText(name(this.y), 0, 0);
    context.restore();
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  findCell(x, y) {
    const found = (this.boxes || []).find((each) => x >= each.x0 && x <= each.x0 + each.w && y >= each.y0
      && y <= each.y0 + each.h);
    return found ? found.cell : -1;
  }

  describe(cell) {
    const value = (each) => each.random ? String(Number(each.at[cell].toPrecision(6))) : each.words[each.place[cell]];
    return this.dimensions.map((each) => `${each.name} = ${value(each)}`).join(", ");
  }

  word(cell) {
    return this.outcome[cell] === NOT_RUN ? "has not run" : this.data.words[this.outcome[cell]];
  }

  ask(cell) {
    return this.dimensions.filter((each) => !each.random).map((each) => each.ask[each.place[cell]]).join(",");
  }

  hover(event) {
    const cell = this.findCell(...this.place(event));
    if (cell < 0) return this.tell(null);
    const end = this.endTime[cell], when = Number.isFinite(end) ? `, at ${writeQuantity(end, "s")}` : "";
    const lines = [this.describe(cell), this.word(cell) + when];
    if (this.run[cell] >= 0) lines.push("click: its run plays");
    this.tell(event, lines.join("\n"));
  }

  choose(cell) {
    this.cell = cell;
    const here = this.describe(cell), has = this.run[cell] >= 0;
    fill(this.message, `${here}: ${this.word(cell)}. `);
    if (!has) this.message.append("Its run is not in this page; this brings it in: ",
      make("code", {}, `stiction replay ${this.data.file || "SWEEP.h5"} --cells "${this.ask(cell)}" --save map.html`));
    this.draw();
    this.picked(cell, has ? this.run[cell] : -1);
  }

  key(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step || this.scatter || this.cell < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const want = [this.x, this.y].map((k, i) => k >= 0 ? this.dimensions[k].place[this.cell] + step[i] : 0);
    const next = this.cells().find((cell) => [this.x,
      this.y].every((k, i) => k < 0 || this.dimensions[k].place[cell] === want[i]));
    if (next !== undefined) this.choose(next);
  }
}
