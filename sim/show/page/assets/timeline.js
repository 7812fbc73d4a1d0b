// The bars below the picture: energy or branches over time, events, times that were not unique, and where we are.

const EVENT_REACH = 6, LANE = 15, EDGE = 14; // pixels: reach of an event; height of a branch; room at both ends

class Timeline {
  // source: { line(), tree, notUnique(), player, style(), select(branch) }
  constructor(canvas, source) {
    Object.assign(this, { canvas, source, drag: false });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", () => (this.drag = false));
    canvas.addEventListener("pointercancel", () => (this.drag = false));
    canvas.addEventListener("pointerleave", () => source.tell(null));
    canvas.addEventListener("keydown", (event) => this.key(event));
    if (source.tree) canvas.style.height = `${Math.min(Math.max(56, (source.tree.leaves + 1) * LANE + 16), 210)}px`;
  }

  get span() {
    const { start, end } = this.source.player;
    return [start, end > start ? end : start + 1];
  }

  toX(time) {
    const [start, end] = this.span;
    return EDGE + ((time - start) / (end - start)) * (this.width - 2 * EDGE);
  }

  toTime(x) {
    const [start, end] = this.span;
    return start + ((x - EDGE) / (this.width - 2 * EDGE)) * (end - start);
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    const [x, y] = this.place(event), branch = this.findBranch(x, y), near = this.findEvent(x);
    this.drag = true;
    this.canvas.setPointerCapture(event.pointerId);
    this.source.player.pause();
    if (branch) this.source.select(branch.number);
    this.source.player.seek(near ? near.time : this.toTime(x));
  }

  move(event) {
    const [x, y] = this.place(event);
    if (this.drag) this.source.player.seek(this.toTime(x));
    const near = this.findEvent(x), branch = this.findBranch(x, y);
    const words = near ? near.run.describeEvent(near.k) : branch ? describeBranch(branch) : "";
    this.source.tell(event, `${this.source.writeTime(near ? near.time : this.toTime(x))}${words ? `\n${words}` : ""}`);
  }

  key(event) {
    const [start, end] = this.span, { player } = this.source, step = (end - start) / (event.shiftKey ? 1000 : 100);
    const to = { ArrowLeft: player.time - step, ArrowRight: player.time + step, Home: start, End: end }[event.key];
    if (to === undefined) return;
    player.pause();
    player.seek(to);
    event.preventDefault();
    event.stopPropagation();
  }

  findEvent(x) {
    let best = null;
    for (const event of this.source.line().events) {
      const away = Math.abs(this.toX(event.time) - x);
      if (away <= EVENT_REACH && (!best || away < best.away)) best = { ...event, away };
    }
    return best;
  }

  findBranch(x, y) {
    if (!this.source.tree) return null;
    const here = this.source.tree.branches.filter((branch) => branch.run >= 0
      && this.toX(branch.time) <= x + 4 && this.toX(branch.end) >= x - 4
        && Math.abs(this.laneY(branch) - y) < LANE / 2);
    return here[here.length - 1] || null;
  }

  laneY(branch) {
    const room = this.height - 24, leaves = this.source.tree.leaves;
    return 10 + (leaves > 1 ? (branch.lane / (leaves - 1)) * (room - 8) : room / 2 - 4);
  }

  draw() {
    const context = fitCanvas(this.canvas), box = this.canvas.getBoundingClientRect(),
      { colours } = this.source.style();
    [this.width, this.height] = [box.width, box.height];
    context.clearRect(0, 0, this.width, this.height);
    this.drawNotUnique(context, colours);
    if (this.source.tree) this.drawBranches(context, colours);
    else this.drawEnergy(context, colours);
    this.drawEvents(context, colours);
    this.drawAxis(context, colours);
    const x = this.toX(this.source.player.time);
    context.fillStyle = colours.text;
    context.fillRect(x - 0.75, 0, 1.5, this.height - 14);
    context.beginPath();
    context.moveTo(x - 5, 0), context.lineTo(x + 5, 0), context.lineTo(x, 7);
    context.fill();
    this.describe();
  }

  describe() {
    const [start, end] = this.span, { player, writeTime } = this.source;
    for (const [name, value] of [["valuemin", start], ["valuemax", end], ["valuenow", player.time],
      ["valuetext", writeTime(player.time)]])
      this.canvas.setAttribute(`aria-${name}`, value);
  }

  drawNotUnique(context, colours) {
    context.fillStyle = colours.notUnique;
    for (const [start, end] of this.source.notUnique()) {
      const x = this.toX(start), width = Math.max(this.toX(end) - x, 2.5);
      context.globalAlpha = 0.14;
      context.fillRect(x, 0, width, this.height - 15);
      context.globalAlpha = 0.9;
      context.fillRect(x, 0, width, 3.5);
    }
    context.globalAlpha = 1;
  }

  drawEnergy(context, colours) {
    const rows = this.source.line().runs[0].rows, floor = this.height - 15, n = rows.time.length;
    const most = rows.kinetic.reduce((a, b) => Math.max(a, b), 0), points = [];
    if (!(most > 0)) return;
    const stride = Math.max(1, Math.floor(n / (2 * this.width)));
    for (let k = 0; k < n; k += stride) {
      let value = 0;
      for (let j = k; j < Math.min(k + stride, n); j++) value = Math.max(value, rows.kinetic[j]);
      points.push([this.toX(rows.time[k]), floor - (value / most) * (floor - 8)]);
    }
    context.beginPath();
    context.moveTo(points[0][0], floor);
    for (const point of points) context.lineTo(...point);
    context.lineTo(points[points.length - 1][0], floor);
    Object.assign(context, { fillStyle: colours.part, globalAlpha: 0.5 });
    context.fill();
    context.globalAlpha = 1;
    context.beginPath();
    for (const point of points) context.lineTo(...point);
    Object.assign(context, { strokeStyle: colours.partEdge, lineWidth: 1 });
    context.stroke();
    Object.assign(context, { font: "10.5px system-ui, sans-serif", textAlign: "right", textBaseline: "top" });
    const text = `kinetic energy, up to ${writeQuantity(most, "J", 3)}`, size = context.measureText(text).width;
    Object.assign(context, { fillStyle: colours.card, globalAlpha: 0.8 });
    context.fillRect(this.width - EDGE - size - 4, 4, size + 8, 14);
    Object.assign(context, { fillStyle: colours.faint, globalAlpha: 1 });
    context.fillText(text, this.width - EDGE, 6);
  }

  drawBranches(context, colours) {
    const { branches } = this.source.tree, followed = this.source.followed();
    for (const branch of branches) {
      const y = this.laneY(branch), strong = followed.has(branch.number);
      const [x0, x1] = [this.toX(branch.time), this.toX(branch.end)];
      Object.assign(context, { strokeStyle: branchColour(branch, colours), lineWidth: strong ? 4 : 2 });
      context.beginPath();
      if (branch.parent >= 0) context.moveTo(x0, this.laneY(branches[branch.parent]));
      context.lineTo(x0, y), context.lineTo(Math.max(x1, x0 + 1), y);
      context.setLineDash(branch.dash || []);
      context.stroke();
      context.setLineDash([]);
      if (branch.merged !== undefined) {
        context.beginPath();
        context.moveTo(x1, y), context.lineTo(x1, this.laneY(branches[branch.merged]));
        context.lineWidth = 1;
        context.stroke();
      } else if (!branch.children.length) {
        context.beginPath();
        context.arc(x1, y, strong ? 4.5 : 3, 0, 2 * Math.PI);
        context.fillStyle = branch.well ? branchColour(branch, colours) : colours.normal;
        context.fill();
      }
    }
  }

  drawEvents(context, colours) {
    const floor = this.height - 15;
    context.fillStyle = colours.text;
    let last = -Infinity;
    for (const { time } of this.source.line().events) {
      const x = Math.round(this.toX(time));
      if (x !== last) context.fillRect(x - 0.5, floor - 11, 1, 11);
      last = x;
    }
    context.fillStyle = colours.line;
    context.fillRect(EDGE, floor, this.width - 2 * EDGE, 1);
  }

  drawAxis(context, colours) {
    const [start, end] = this.span, [factor, unit] = chooseUnit(end - start, TIME_UNITS);
    Object.assign(context, { font: "10.5px system-ui, sans-serif", fillStyle: colours.faint, textAlign: "center",
      textBaseline: "bottom" });
    const ticks = listTicks(start * factor, end * factor, this.width / 80), room = context.measureText(unit).width + 12;
    for (const [value, text] of ticks) {
      const x = this.toX(value / factor), half = context.measureText(text).width / 2;
      context.fillRect(Math.round(x), this.height - 15, 1, 3);
      if (x + half < this.width - room) context.fillText(text, Math.max(x, half + 1), this.height);
    }
    context.textAlign = "right";
    context.fillText(unit, this.width - 3, this.height);
  }
}
