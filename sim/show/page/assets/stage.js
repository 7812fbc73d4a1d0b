// The picture of a motion at a time: bodies, path, what holds the part, contacts, impacts.

function readColours() {
  const found = getComputedStyle(document.documentElement), colours = {};
  for (const name of ["page", "card", "paper", "text", "faint", "line", "grid", "accent", "part", "part-edge",
    "obstacle",
    "obstacle-edge", "moving", "normal", "friction", "cone", "not-unique", "trace", "held", "spring", "belt", "ink"])
    colours[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())] = found.getPropertyValue(`--${name}`).trim();
  return colours;
}

const PATH_POINTS = 500, PATH_STEP = 5, PATH_DEPTH = 9; // of a path: points, pixels of a chord that is seen, halvings
const FLASH = 0.02; // of the run: how long an impact is shown
const FOLLOWED = 18; // part sizes of a motion that is followed from the start, else the part would be a dot
const SAMPLES = 160; // times that are looked at for what a picture holds

// The way of a point of the part from the start to a time, fine enough where it is seen
class Path {
  constructor(line, point) {
    Object.assign(this, { line, point, places: [] });
    const times = Array.from({ length: PATH_POINTS + 1 },
      (_, k) => line.start + ((line.end - line.start) * k) / PATH_POINTS);
    times.push(...line.events.map((event) => event.time));
    this.times = [...new Set(times)].sort((a, b) => a - b);
    this.places = this.times.map((time) => this.at(time));
  }

  at(time) {
    return placePoint(this.line.pose(time), ...this.point);
  }

  draw(context, camera, time, colour, { dash = [6, 4], width = 1.4 } = {}) {
    const show = ([x, y]) => camera.toScreen(x, y);
    const last = findLast(this.times, time);
    if (last < 0) return;
    context.save();
    context.beginPath();
    let before = show(this.places[0]);
    context.lineTo(...holdNear(before));
    for (let k = 1; k <= last + 1; k++) {
      const [t0, t1] = [this.times[k - 1], k > last ? time : this.times[k]];
      const here = show(k > last ? this.at(time) : this.places[k]);
      this.refine(context, camera, t0, t1, before, here, 0);
      context.lineTo(...holdNear(here));
      before = here;
    }
    Object.assign(context, { lineWidth: width, lineJoin: "round", strokeStyle: colour });
    context.setLineDash(dash);
    context.stroke();
    context.restore();
  }

  refine(context, camera, t0, t1, a, b, depth) {
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]), room = length + 50;
    const far = Math.min(a[0], b[0]) > camera.width + room || Math.max(a[0], b[0]) < -room
      || Math.min(a[1], b[1]) > camera.height + room || Math.max(a[1], b[1]) < -room;
    if (length < PATH_STEP || far || depth >= PATH_DEPTH) return;
    const t = (t0 + t1) / 2, middle = camera.toScreen(...this.at(t));
    this.refine(context, camera, t0, t, a, middle, depth + 1);
    context.lineTo(...holdNear(middle));
    this.refine(context, camera, t, t1, middle, b, depth + 1);
  }
}

// A canvas has single precision: points far outside are held where they do no harm
function holdNear([x, y]) {
  return [Math.min(Math.max(x, -1e5), 1e5), Math.min(Math.max(y, -1e5), 1e5)];
}

function drawMark(context, [x, y], colour, size = 5, turned = false) {
  const [a, b] = turned ? [size * 0.75, size * 0.75] : [size, 0];
  context.save();
  Object.assign(context, { lineWidth: 1.6, strokeStyle: colour });
  context.beginPath();
  context.moveTo(x - a, y - b), context.lineTo(x + a, y + b);
  context.moveTo(x - b, y + a), context.lineTo(x + b, y - a);
  context.stroke();
  context.restore();
}

function drawObstacles(context, camera, line, time, colours) {
  line.scene.obstacles.forEach((body, index) => {
    const pose = line.obstaclePose(index, time), fill = body.motion ? colours.moving : colours.obstacle;
    drawBody(context, camera, body, pose, { fill, stroke: colours.obstacleEdge, width: 1 });
    if (body.surface) drawBelt(context, camera, body, pose, time, colours);
  });
}

// Marks that run along the outline of a belt: on top towards +x, which is against the outline
function drawBelt(context, camera, body, pose, time, colours) {
  const path = makePath(body, pose, camera);
  if (!path) return;
  context.save();
  context.translate(camera.width / 2, camera.height / 2);
  context.clip(path, "evenodd");
  Object.assign(context, { lineWidth: 7, strokeStyle: colours.belt,
    lineDashOffset: (body.surface * time * camera.scale) % 22 });
  context.setLineDash([5, 17]);
  context.stroke(path);
  context.restore();
}

function drawHeld(context, camera, line, time, style) {
  const { gripper, springs = [] } = line.scene, pose = line.pose(time), { colours } = style;
  for (const spring of springs) {
    const frame = spring.motion ? placeMotion(spring.motion, time) : spring.pose || NOWHERE;
    drawSpring(context, camera.toScreen(...placePoint(pose, ...spring.point)),
      camera.toScreen(...placePoint(frame, ...spring.anchor)), colours.spring);
  }
  if (!gripper || time > (gripper.release === undefined ? Infinity : gripper.release)) return;
  const [x, y] = placeMotion(gripper.motion, time), centre = camera.toScreen(...placePoint(pose, ...gripper.center));
  const run = line.at(time), row = run.row(time), frame = camera.toScreen(x, y);
  context.save();
  Object.assign(context, { lineWidth: 1.2, strokeStyle: colours.held });
  context.beginPath();
  context.moveTo(...holdNear(frame)), context.lineTo(...holdNear(centre));
  context.stroke();
  context.restore();
  drawMark(context, frame, colours.held, 6, true);
  if (!style.forces || !(style.newtons > 0) || !run.rows.gripper_fx) return;
  const [fx, fy] = [run.rows.gripper_fx[row], run.rows.gripper_fy[row]], size = Math.hypot(fx, fy);
  const scale = size ? (Math.min(size / style.newtons, CUT) * arrowLength(camera)) / size : 0;
  drawArrow(context, ...centre, fx * scale, -fy * scale, colours.held);
}

function drawSpring(context, a, b, colour) {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]), coils = 12, lead = 0.15, width = 6;
  if (!(length > 0) || length > 1e5) return;
  const along = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
  context.save();
  context.beginPath();
  context.moveTo(...a);
  for (let k = 0; k <= coils + 1; k++) {
    const share = k === 0 ? lead : k > coils ? 1 - lead : lead + ((1 - 2 * lead) * (k - 0.5)) / coils;
    const aside = k === 0 || k > coils ? 0 : k % 2 ? width : -width;
    context.lineTo(a[0] + share * (b[0] - a[0]) - aside * along[1], a[1] + share * (b[1] - a[1]) + aside * along[0]);
  }
  context.lineTo(...b);
  Object.assign(context, { lineWidth: 1.3, lineJoin: "round", strokeStyle: colour });
  context.stroke();
  context.restore();
}

// Rings where impulses were a short while ago
function drawImpacts(context, camera, line, time, colours) {
  const run = line.at(time), span = FLASH * (line.end - line.start) || 1, { impulse_time: times } = run.events;
  const last = findLast(times, time);
  for (let k = last; k >= Math.max(0, last - 40) && time - times[k] <= span; k--) {
    const [x, y] = camera.toScreen(run.events.impulse_x[k], run.events.impulse_y[k]);
    context.save();
    Object.assign(context, { lineWidth: 2, strokeStyle: colours.normal,
      globalAlpha: 1 - (0.7 * (time - times[k])) / span });
    context.beginPath();
    context.arc(x, y, 9, 0, 2 * Math.PI);
    context.stroke();
    context.restore();
  }
}

// Names of obstacles, each where most of it is seen
function drawNames(context, camera, line, time, colours) {
  context.save();
  Object.assign(context, { font: "600 12px system-ui, sans-serif", textAlign: "center", textBaseline: "middle",
    lineWidth: 3,
    lineJoin: "round", strokeStyle: colours.paper, fillStyle: colours.text });
  line.scene.obstacles.forEach((body, index) => {
    const place = findRoom(camera, body, line.obstaclePose(index, time));
    if (!place) return;
    context.strokeText(body.name, ...place);
    context.fillText(body.name, ...place);
  });
  context.restore();
}

// The place in a body on the canvas that is farthest from its outline, roughly; null where it is not seen
function findRoom(camera, body, pose) {
  const points = cutPolygon(traceLoop(body.loops[0], pose, camera), camera.width / 2 - 12, camera.height / 2 - 12);
  if (points.length < 6) return null;
  const xs = points.filter((_, k) => k % 2 === 0), ys = points.filter((_, k) => k % 2);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  let best = null, room = 0;
  for (let i = 0; i < 12; i++)
    for (let j = 0; j < 9; j++) {
      const x = x0 + ((x1 - x0) * (i + 0.5)) / 12, y = y0 + ((y1 - y0) * (j + 0.5)) / 9;
      const at = [x + camera.width / 2, y + camera.height / 2];
      if (!isInside(camera, body, pose, ...at)) continue;
      let near = Infinity;
      for (let k = 0, m = points.length - 2; k < points.length; m = k, k += 2) {
        const [px, py] = nearestOnSegment([points[m], points[m + 1]], [points[k], points[k + 1]], x, y);
        near = Math.min(near, Math.hypot((px - x) * 0.5, py - y));
      }
      if (near > room) [best, room] = [at, near];
    }
  return room > 5 ? best : null;
}

// Which way gravity pulls, in the upper right corner
function drawGravity(context, camera, scene, time, colours) {
  if (!scene.gravity || !Math.hypot(...scene.gravity)) return;
  const angle = scene.gravityTurn ? evaluateCoordinate(scene.gravityTurn, time) : 0,
    [gx, gy] = turn(scene.gravity, angle);
  const size = Math.hypot(gx, gy), x = camera.width - 26, y = 32;
  drawArrow(context, x - (14 * gx) / size, y + (14 * gy) / size, (28 * gx) / size, (-28 * gy) / size, colours.faint);
  context.save();
  Object.assign(context, { font: "italic 12px Georgia, serif", fillStyle: colours.faint, textAlign: "right",
    textBaseline: "middle" });
  context.fillText("g", x - 10 - 6 * Math.abs(gx / size), y);
  context.restore();
}

// An arrow of a round force, to read the others by
function drawForceKey(context, camera, newtons, colours) {
  if (!(newtons > 0)) return;
  const exponent = Math.floor(Math.log10(0.6 * newtons)),
    digit = [5, 2, 1].find((each) => each * 10 ** exponent <= 0.6 * newtons);
  const force = digit * 10 ** exponent, y = camera.height - 34, x = 46;
  const length = (force / newtons) * arrowLength(camera);
  context.save();
  Object.assign(context, { font: "11px system-ui, sans-serif", textBaseline: "middle", lineWidth: 3, lineJoin: "round",
    strokeStyle: colours.paper, fillStyle: colours.faint });
  drawArrow(context, x, y, length, 0, colours.faint);
  context.strokeText(writeQuantity(force, "N", 1), x + length + 6, y);
  context.fillText(writeQuantity(force, "N", 1), x + length + 6, y);
  context.restore();
}

// The newtons of an arrow of full length: at most 2 % of the forces of the rows are larger
function findForceScale(runs) {
  const sizes = [];
  for (const { contacts: { fn, ft } } of runs)
    for (let k = 0; k < fn.length; k++) {
      const size = Math.hypot(fn[k], ft[k]);
      if (size > 0 && Number.isFinite(size)) sizes.push(size);
    }
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 0;
}

// [box that holds the part over some motions and what moves near it, is the part to be followed?]
function findBox(lines) {
  const { part, obstacles } = lines[0].scene, size = measureReach(part),
    box = [Infinity, Infinity, -Infinity, -Infinity];
  const join = (other) => other.forEach((value, k) => (box[k] = (k < 2 ? Math.min : Math.max)(box[k], value)));
  const look = (line, measure) => {
    for (let k = 0; k <= SAMPLES; k++) join(measure(line.start + ((line.end - line.start) * k) / SAMPLES));
  };
  for (const line of lines) look(line, (time) => measureBodies([part], [line.pose(time)]));
  if (lines.length === 1 && Math.max(box[2] - box[0], box[3] - box[1]) > (FOLLOWED + 1) * size) {
    const [x, y] = lines[0].pose(lines[0].start), half = 2.2 * size;
    return [[x - half, y - half, x + half, y + half], true];
  }
  const most = Math.max(box[2] - box[0], box[3] - box[1], 8 * size);
  obstacles.forEach((body, index) => {
    const own = measureBodies([body], [NOWHERE]);
    if (body.motion && Math.max(own[2] - own[0], own[3] - own[1]) <= most)
      look(lines[0], (time) => measureBodies([body], [lines[0].obstaclePose(index, time)]));
  });
  const room = Math.max(0.08 * Math.max(box[2] - box[0], box[3] - box[1]), 0.3 * size);
  return [[box[0] - room, box[1] - room, box[2] + room, box[3] + room], false];
}

// Twice the largest distance of a point of the part from its centre of mass, about
function measureReach(part) {
  return 2 * Math.max(...part.loops[0].map((each) => each.length > 2 ? Math.hypot(each[2], each[3]) + each[4]
    : Math.hypot(each[0], each[1])));
}
