// The picture of a run at a time: bodies, path, what holds the part, contacts.

function readColours() {
  const found = getComputedStyle(document.documentElement), colours = {};
  for (const name of ["page", "card", "paper", "text", "faint", "line", "grid", "accent", "part", "part-edge", "obstacle",
    "obstacle-edge", "moving", "normal", "friction", "cone", "not-unique", "trace", "held", "spring", "belt", "ink"])
    colours[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())] = found.getPropertyValue(`--${name}`).trim();
  return colours;
}

const PATH_POINTS = 1500; // of the path of a point of the part

// Places of a point of the part over a run up to a time: [[x, y], ...]
function tracePath(run, point, from, to) {
  const n = Math.max(2, Math.min(PATH_POINTS, Math.ceil((PATH_POINTS * (to - from)) / (run.end - run.start || 1)) + 2));
  const places = [];
  for (let k = 0; k < n; k++) places.push(placePoint(run.pose(from + ((to - from) * k) / (n - 1)), ...point));
  return places;
}

function drawPath(context, camera, places, colour, dash = [6, 4]) {
  context.save();
  context.beginPath();
  for (const [x, y] of places) {
    const [sx, sy] = camera.toScreen(x, y);
    context.lineTo(Math.min(Math.max(sx, -1e5), 1e5), Math.min(Math.max(sy, -1e5), 1e5));
  }
  context.setLineDash(dash);
  context.lineWidth = 1.4;
  context.lineJoin = "round";
  context.strokeStyle = colour;
  context.stroke();
  context.restore();
}

function drawMark(context, [x, y], colour, size = 5) {
  context.save();
  context.lineWidth = 1.6;
  context.strokeStyle = colour;
  context.beginPath();
  context.moveTo(x - size, y), context.lineTo(x + size, y);
  context.moveTo(x, y - size), context.lineTo(x, y + size);
  context.stroke();
  context.restore();
}

function obstacleStyle(body, colours) {
  return { fill: body.motion ? colours.moving : colours.obstacle, stroke: colours.obstacleEdge, width: 1 };
}

// The newtons of an arrow of full length: at most 2 % of the forces of the rows are larger
function findForceScale(run) {
  const { fn, ft } = run.contacts, sizes = [];
  for (let k = 0; k < fn.length; k++) {
    const size = Math.hypot(fn[k], ft[k]);
    if (size > 0 && Number.isFinite(size)) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes.length ? sizes[Math.floor(0.98 * (sizes.length - 1))] : 0;
}

// The box that holds the part over the run and what moves near it; obstacles count where they are not far larger
function findBox(run, samples = 120) {
  const part = run.scene.part, size = reachOf(part), box = [Infinity, Infinity, -Infinity, -Infinity];
  const join = (other) => other.forEach((value, k) => (box[k] = (k < 2 ? Math.min : Math.max)(box[k], value)));
  for (let k = 0; k <= samples; k++)
    join(measureBodies([part], [run.pose(run.start + ((run.end - run.start) * k) / samples)]));
  const most = Math.max(box[2] - box[0], box[3] - box[1], 8 * size);
  run.scene.obstacles.forEach((body, index) => {
    if (!body.motion) return;
    const own = measureBodies([body], [NOWHERE]);
    if (Math.max(own[2] - own[0], own[3] - own[1]) > most) return;
    for (let k = 0; k <= samples; k++)
      join(measureBodies([body], [run.obstaclePose(index, run.start + ((run.end - run.start) * k) / samples)]));
  });
  const room = Math.max(0.08 * Math.max(box[2] - box[0], box[3] - box[1]), 0.3 * size);
  return [box[0] - room, box[1] - room, box[2] + room, box[3] + room];
}

// Twice the largest distance of a point of the part from its centre of mass, about
function reachOf(part) {
  return 2 * Math.max(...part.loops[0].map((each) => each.length > 2 ? Math.hypot(each[2], each[3]) + each[4]
    : Math.hypot(each[0], each[1])));
}
