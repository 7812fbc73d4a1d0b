// The picture of the scene: bodies, contacts with cones and forces of one answer, accelerations; the part as it was;
// paths of the runs, and the part at a time of the present run.

const TURN_RADIUS = 0.5; // of the arc of an angular acceleration, in lengths of a full arrow
const MOST_ANSWERS = 6; // that are drawn; the list shows all

class Picture {
  constructor() {
    this.canvas = find("picture");
    this.camera = new Camera();
    Object.assign(this, { bodies: null, instant: null, old: null, answer: 0, line: null, oldLine: null,
      time: null, showsOld: true, isStale: false, isDragging: false, asked: false });
    this.readColours();
    moveByHand(this.canvas, this.camera, { changed: () => this.ask() });
    new ResizeObserver(() => this.ask()).observe(this.canvas);
  }

  readColours() {
    this.colours = readColours();
    this.answers = readAnswerColours();
    this.ask();
  }

  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => this.draw());
  }

  show(changes) {
    Object.assign(this, changes);
    this.ask();
  }

  draw() {
    this.asked = false;
    const context = fitCanvas(this.canvas, this.camera), { camera, colours, bodies, instant } = this;
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, camera.width, camera.height);
    if (!bodies || !instant) return;
    const writeAxes = drawAxes(context, camera, colours), time = this.isPlaying ? this.time : 0;
    drawObstacles(context, camera, placeStill(bodies), time, colours);
    this.drawPaths(context);
    if (this.showsOld && this.old && !this.isPlaying) this.drawOld(context);
    context.globalAlpha = this.isStale ? 0.35 : 1;
    if (this.isPlaying) this.drawMoment(context, time);
    else this.drawStart(context);
    context.globalAlpha = 1;
    if (this.line && !this.isDragging) drawGravity(context, camera, this.line.scene, time, colours);
    writeAxes();
  }

  // Is a time of the run shown, and not the state at its start?
  get isPlaying() {
    return Boolean(this.line && this.time !== null && this.time > this.line.start);
  }

  drawPart(context, pose, body = this.bodies.part) {
    drawBody(context, this.camera, body, pose, { fill: this.colours.part, stroke: this.colours.partEdge, width: 1.5 });
    drawMark(context, this.camera.toScreen(pose[0], pose[1]), this.colours.partEdge);
  }

  drawStart(context) {
    const { camera, colours, instant } = this, piece = instant.pieces[Math.min(this.answer, instant.pieces.length - 1)];
    this.drawPart(context, instant.pose);
    const contacts = instant.contacts.map((contact, k) => {
      const [fn, ft] = piece ? piece.forces[0][k] : [0, 0];
      return { x: contact.point[0], y: contact.point[1], nx: contact.normal[0], ny: contact.normal[1], mu: contact.mu,
        letter: piece ? piece.mode[k] : "", fn, ft };
    });
    const largest = Math.max(0, ...contacts.map(({ fn, ft }) => Math.hypot(fn, ft)));
    drawContacts(context, camera, contacts, { colours, newtons: largest });
    if (this.line && !this.isDragging) drawHeld(context, camera, this.line, this.line.start, { colours, forces: false });
    this.drawAccelerations(context, instant, 1);
  }

  drawOld(context) {
    const { camera, colours } = this, { instant, bodies } = this.old;
    drawBody(context, camera, bodies.part, instant.pose, { stroke: colours.faint, width: 1.2, dash: [5, 4] });
    context.save();
    context.globalAlpha = 0.35;
    this.drawAccelerations(context, instant, 0.6, colours.faint);
    context.restore();
  }

  drawMoment(context, time) {
    const { line, camera, colours, newtons } = this, style = { colours, newtons, forces: true };
    drawBody(context, camera, this.bodies.part, line.pose(line.start), { stroke: colours.partEdge, width: 1, dash: [2, 3] });
    this.drawPart(context, line.pose(time));
    drawHeld(context, camera, line, time, style);
    drawContacts(context, camera, line.contactsAt(time), style);
    drawImpacts(context, camera, line, time, colours);
  }

  drawPaths(context) {
    const { camera, colours, line, oldLine } = this;
    if (this.showsOld && oldLine) this.oldPath.draw(context, camera, oldLine.end, colours.faint, { dash: [2, 4] });
    if (line) this.path.draw(context, camera, line.end, colours.trace);
  }

  // The motion of the present run, and that of the one before; null for none
  showLines(line, oldLine) {
    const path = line && new Path(line, [0, 0]), oldPath = oldLine && new Path(oldLine, [0, 0]);
    this.show({ line, oldLine, path, oldPath, time: null, newtons: line ? findForceScale(line.runs) : 0 });
  }

  // Arrows at the centre of mass: each corner of the pieces; an arc with a head for the angular acceleration
  drawAccelerations(context, instant, width, colour = null) {
    const { camera } = this, [x, y] = camera.toScreen(...instant.pose), full = arrowLength(camera);
    const scales = measureSet(this.showsOld && this.old ? [instant, this.instant, this.old.instant] : [instant]);
    instant.pieces.slice(0, MOST_ANSWERS).forEach((piece, k) => {
      const own = colour || this.answers[k % this.answers.length], ends = [];
      piece.vertices.forEach(([ax, ay, alpha]) => {
        const dx = (ax / scales.linear) * full, dy = (-ay / scales.linear) * full;
        ends.push([x + dx, y + dy]);
        drawArrow(context, x, y, dx, dy, own);
        drawTurn(context, x, y, (alpha / scales.angular) * 0.75 * Math.PI, (TURN_RADIUS + 0.11 * k) * full, own, width);
      });
      for (const [ax, ay] of piece.rays) this.drawRay(context, ends[0], [ax, -ay], own);
      if (!colour) this.drawNumber(context, k, ends, x, y, own, instant.pieces.length);
    });
  }

  drawRay(context, [x, y], [dx, dy], colour) {
    const length = Math.hypot(dx, dy);
    if (length < 1e-12) return;
    context.save();
    context.setLineDash([3, 4]);
    context.strokeStyle = colour;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + (2000 * dx) / length, y + (2000 * dy) / length);
    context.stroke();
    context.restore();
  }

  drawNumber(context, k, ends, x, y, colour, count) {
    if (count < 2) return;
    const [ex, ey] = ends[0], length = Math.hypot(ex - x, ey - y) || 1;
    const at = [ex + (13 * (ex - x)) / length, ey + (13 * (ey - y)) / length];
    context.save();
    context.beginPath();
    context.arc(at[0], at[1], 8.5, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
    context.font = "bold 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = this.colours.card;
    context.fillText(String(k + 1), at[0], at[1] + 0.5);
    context.restore();
  }

  fit(what) {
    const { bodies, instant, camera } = this;
    if (!bodies || !instant) return;
    fitCanvas(this.canvas, camera);
    const own = measureBodies([bodies.part], [instant.pose]), size = Math.max(own[2] - own[0], own[3] - own[1]);
    let box = own, room = 1.9;
    if (what === "contacts" && instant.contacts.length) {
      const points = instant.contacts.map((contact) => contact.point), reach = 0.1 * size;
      box = [Math.min(...points.map(([x]) => x)) - reach, Math.min(...points.map(([, y]) => y)) - reach,
        Math.max(...points.map(([x]) => x)) + reach, Math.max(...points.map(([, y]) => y)) + reach];
      room = 1.3;
    } else if (what === "all") {
      box = measureBodies([bodies.part, ...bodies.obstacles], [instant.pose, ...bodies.obstacles.map((body) => placeMotion(body.motion, 0))]);
      room = 1.1;
    } else if (this.line) [box, room] = [findBox([this.line])[0], 1.25];
    camera.fit(box, room);
    this.ask();
  }
}

// Bodies as `drawObstacles` takes them
function placeStill(bodies) {
  return { scene: bodies, obstaclePose: (index, time) => placeMotion(bodies.obstacles[index].motion, time) };
}

// The accelerations of full length: linear in m/s^2, angular in rad/s^2; of all sets that are drawn together
function measureSet(instants) {
  let linear = 0, angular = 0;
  for (const { pieces, rho } of instants)
    for (const { vertices } of pieces)
      for (const [ax, ay, alpha] of vertices) {
        linear = Math.max(linear, Math.hypot(ax, ay), Math.abs(alpha) * rho);
        angular = Math.max(angular, Math.abs(alpha), Math.hypot(ax, ay) / rho);
      }
  return { linear: linear || 1, angular: angular || 1 };
}

// An arc about a point, with a head where it ends; angle in rad, counter-clockwise positive
function drawTurn(context, x, y, angle, radius, colour, width) {
  if (Math.abs(angle) < 0.05) return;
  const from = -Math.PI / 2, to = from - angle, sign = Math.sign(angle);
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = 2.2 * width;
  context.beginPath();
  context.arc(x, y, radius, from, to + (sign * 7) / radius, angle > 0);
  context.stroke();
  const tip = [x + radius * Math.cos(to), y + radius * Math.sin(to)];
  const along = [sign * Math.sin(to), -sign * Math.cos(to)];
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(tip[0], tip[1]);
  for (const side of [-1, 1])
    context.lineTo(tip[0] - 10 * along[0] + side * 4.6 * along[1], tip[1] - 10 * along[1] - side * 4.6 * along[0]);
  context.closePath();
  context.fill();
  context.restore();
}
