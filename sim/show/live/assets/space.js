// Configuration space (ax, ay, rho alpha), seen from a direction that can be turned: what each contact can add to the
// free acceleration (its friction cone), and the accelerations that are possible.

const TURN_SPEED = 0.01; // rad a pixel
const CONE_LENGTH = 0.75; // of the cones, in lengths of the longest acceleration

const AXIS_LENGTH = 0.45; // likewise
const AXES = [[[1, 0, 0], "ax"], [[0, 1, 0], "ay"], [[0, 0, 1], "ρα"]];

class Space {
  constructor() {
    Object.assign(this, { canvas: find("space"), azimuth: 0.55, elevation: 0.35, instant: null, old: null, asked: false });
    this.readColours();
    let last = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      last = [event.clientX, event.clientY];
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      this.azimuth += (event.clientX - last[0]) * TURN_SPEED;
      this.elevation = Math.min(Math.max(this.elevation + (event.clientY - last[1]) * TURN_SPEED, -1.57), 1.57);
      last = [event.clientX, event.clientY];
      this.ask();
    });
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => (last = null));
    new ResizeObserver(() => this.ask()).observe(this.canvas);
  }

  readColours() {
    Object.assign(this, { colours: readColours(), answers: readAnswerColours() });
    this.ask();
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.draw());
  }

  show(instant, old) {
    Object.assign(this, { instant, old });
    this.ask();
  }

  // A point (x, y, q) on the canvas: y upwards, turned about it by the azimuth, then tilted
  place([x, y, q]) {
    const c = Math.cos(this.azimuth), s = Math.sin(this.azimuth), depth = s * x + c * q;
    return [this.middle[0] + this.scale * (c * x - s * q),
      this.middle[1] - this.scale * (Math.cos(this.elevation) * y - Math.sin(this.elevation) * depth)];
  }

  draw() {
    this.asked = false;
    const camera = new Camera(), context = fitCanvas(this.canvas, camera), { width, height } = camera;
    context.fillStyle = this.colours.paper;
    context.fillRect(0, 0, width, height);
    if (!this.instant) return;
    const { rho, free, pieces, contacts } = this.instant, point = ([ax, ay, alpha], r = rho) => [ax, ay, alpha * r];
    const olds = this.old ? this.old.pieces.flatMap((piece) => piece.vertices.map((each) => point(each, this.old.rho))) : [];
    const start = point(free), all = [start, ...pieces.flatMap((piece) => piece.vertices.map((each) => point(each))), ...olds];
    const size = Math.max(...all.map((each) => Math.hypot(...each))) || 1;
    const cones = contacts.map((contact) => this.listEdges(contact, start, CONE_LENGTH * size));
    this.fit([[0, 0, 0], ...AXES.map(([axis]) => axis.map((value) => AXIS_LENGTH * size * value)), ...all, ...cones.flat()], size, width,
      height);
    this.drawAxes(context, size);
    cones.forEach((edges, k) => this.drawCone(context, start, edges, k));
    this.drawPoint(context, start, this.colours.text, "free", true, 6.5, 18);
    for (const each of olds) this.drawPoint(context, each, this.colours.faint, "", true);
    pieces.forEach((piece, k) => this.drawPiece(context, piece.vertices.map((each) => point(each)),
      piece.rays.map((each) => point(each)), start, k));
  }

  // Ends of the two edges of a friction cone, N + mu T and N - mu T, drawn from the free acceleration
  listEdges({ row_normal: N, row_tangent: T, mu }, start, length) {
    return [1, -1].map((side) => {
      const edge = N.map((value, k) => value + side * mu * T[k]), norm = Math.hypot(...edge) || 1;
      return edge.map((value, k) => start[k] + (length * value) / norm);
    });
  }

  fit(points, size, width, height) {
    Object.assign(this, { middle: [0, 0], scale: 1 });
    const places = points.map((point) => this.place(point)), xs = places.map(([x]) => x), ys = places.map(([, y]) => y);
    const least = size * 0.6, across = Math.max(Math.max(...xs) - Math.min(...xs), least);
    const upwards = Math.max(Math.max(...ys) - Math.min(...ys), least);
    this.scale = Math.min((width - 84) / across, (height - 64) / upwards);
    this.middle = [width / 2 - (this.scale * (Math.max(...xs) + Math.min(...xs))) / 2,
      height / 2 - (this.scale * (Math.max(...ys) + Math.min(...ys))) / 2];
  }

  drawAxes(context, size) {
    const zero = this.place([0, 0, 0]);
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const [axis, name] of AXES) {
      const end = this.place(axis.map((value) => value * AXIS_LENGTH * size)), dx = end[0] - zero[0], dy = end[1] - zero[1];
      drawArrow(context, ...zero, dx, dy, this.colours.line);
      const length = Math.hypot(dx, dy);
      context.fillStyle = this.colours.faint;
      if (length > 12) context.fillText(name, end[0] + (11 * dx) / length, end[1] + (11 * dy) / length);
    }
    this.drawPoint(context, [0, 0, 0], this.colours.faint, "0", false, 2.5);
  }

  drawCone(context, start, edges, k) {
    const [from, one, other] = [start, ...edges].map((each) => this.place(each)), { colours } = this;
    context.save();
    context.beginPath();
    for (const [x, y] of [from, one, other]) context.lineTo(x, y);
    context.closePath();
    context.globalAlpha = 0.22;
    context.fillStyle = colours.cone;
    context.fill();
    context.globalAlpha = 0.95;
    context.strokeStyle = colours.cone;
    context.lineWidth = 1.3;
    for (const [x, y] of [one, other]) {
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(x, y);
      context.stroke();
    }
    context.fillStyle = colours.faint;
    context.font = "10px system-ui, sans-serif";
    context.fillText(`contact ${k}`, (one[0] + other[0]) / 2, (one[1] + other[1]) / 2);
    context.restore();
  }

  drawPiece(context, vertices, rays, start, k) {
    const places = vertices.map((each) => this.place(each)), colour = this.answers[k % this.answers.length];
    const [fx, fy] = this.place(start);
    context.save();
    context.strokeStyle = context.fillStyle = colour;
    context.setLineDash([2, 3]);
    for (const [x, y] of places) {
      context.beginPath();
      context.moveTo(fx, fy);
      context.lineTo(x, y);
      context.stroke();
    }
    context.setLineDash([]);
    context.lineWidth = 3.5;
    const hull = findHull(places);
    context.beginPath();
    for (const [x, y] of hull) context.lineTo(x, y);
    context.closePath();
    context.globalAlpha = 0.3;
    context.fill();
    context.globalAlpha = 1;
    if (hull.length > 1) context.stroke();
    for (const ray of rays) {
      const base = this.place([0, 0, 0]), tip = this.place(ray), length = Math.hypot(tip[0] - base[0], tip[1] - base[1]) || 1;
      drawArrow(context, ...places[0], (46 * (tip[0] - base[0])) / length, (46 * (tip[1] - base[1])) / length, colour);
    }
    context.restore();
    vertices.forEach((each, i) => this.drawPoint(context, each, colour, i ? "" : String(k + 1)));
  }

  drawPoint(context, point, colour, text, isHollow = false, radius = 4.5, below = 0) {
    const [x, y] = this.place(point);
    context.save();
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = isHollow ? this.colours.paper : colour;
    context.fill();
    context.strokeStyle = isHollow ? colour : this.colours.paper;
    context.lineWidth = 1.4;
    context.stroke();
    context.font = "bold 11px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    context.strokeStyle = this.colours.paper;
    context.strokeText(text, x + 8, y - 7 + below);
    context.fillStyle = colour;
    context.fillText(text, x + 8, y - 7 + below);
    context.restore();
  }
}

// The convex hull of points of the plane, in order (Andrew)
function findHull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list) => list.reduce((chain, p) => {
    while (chain.length > 1) {
      const [a, b] = chain.slice(-2);
      if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
      chain.pop();
    }
    return [...chain, p];
  }, []);
  return sorted.length < 3 ? sorted : [...half(sorted).slice(0, -1), ...half(sorted.reverse()).slice(0, -1)];
}
