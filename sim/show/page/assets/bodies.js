// Bodies: outlines of edges and arcs with holes, at any pose and any zoom. Knows nothing of runs.
//
//   body = { name, loops }     a loop: features [x, y] (an edge's start) or [x, y, cx, cy, radius, sign] (an arc's), m
//   pose = [x, y, theta]       m, rad: takes points of the body into the world
//   drawBodies(context, camera, bodies, poses, styles)        one style for all or one each: { fill, stroke, width }
//   drawBody(context, camera, body, pose, style)
//   findFeature(camera, body, pose, x, y, reach) -> { word, number, distance, point } or null     x, y, reach in pixels
//   isInside(camera, body, pose, x, y) -> is the point of the screen in the body?
//   measureBodies(bodies, poses) -> [x0, y0, x1, y1] m
//
// Points are traced in pixels about the middle of the canvas and cut to what is seen before the canvas rounds them to
// single precision; arcs become chords nowhere farther than CHORD from them where they are seen.

const CHORD = 0.12, BEYOND = 60; // pixels: of chords off their arcs; of room around the canvas

function placePoint([x, y, theta], px, py) {
  const c = Math.cos(theta), s = Math.sin(theta);
  return [x + c * px - s * py, y + s * px + c * py];
}

// Points of a loop in pixels about the middle of the canvas, not cut yet: [x, y, x, y, ...]
function traceLoop(loop, pose, camera) {
  const c = Math.cos(pose[2]), s = Math.sin(pose[2]), points = [];
  const place = (x, y) => [(pose[0] + c * x - s * y - camera.x) * camera.scale,
    -(pose[1] + s * x + c * y - camera.y) * camera.scale];
  const reach = [camera.width / 2 + BEYOND, camera.height / 2 + BEYOND];
  loop.forEach((feature, k) => {
    const start = place(feature[0], feature[1]);
    points.push(start[0], start[1]);
    if (feature.length === 2) return;
    const next = loop[(k + 1) % loop.length], end = place(next[0], next[1]);
    const centre = place(feature[2], feature[3]), radius = feature[4] * camera.scale, sign = -feature[5];
    const first = Math.atan2(start[1] - centre[1], start[0] - centre[0]);
    let sweep = sign * (Math.atan2(end[1] - centre[1], end[0] - centre[0]) - first);
    while (sweep <= 1e-12) sweep += 2 * Math.PI; // a whole circle ends where it starts
    while (sweep > 2 * Math.PI + 1e-12) sweep -= 2 * Math.PI;
    splitArc(points, centre, radius, first, sign * sweep, reach, 0);
  });
  return points;
}

// Adds points between the ends of an arc, in order, until its chords are flat or out of sight
function splitArc(points, centre, radius, first, sweep, reach, depth) {
  const angle = first + sweep / 2, turn = Math.abs(sweep);
  const x = centre[0] + radius * Math.cos(angle), y = centre[1] + radius * Math.sin(angle);
  const away = Math.hypot(Math.max(Math.abs(x) - reach[0], 0), Math.max(Math.abs(y) - reach[1], 0));
  const bent = 2 * radius * Math.sin(turn / 4) ** 2 > CHORD && away <= (radius * turn) / 2;
  if ((!bent && turn <= Math.PI / 2) || depth > 48) return;
  splitArc(points, centre, radius, first, sweep / 2, reach, depth + 1);
  points.push(x, y);
  splitArc(points, centre, radius, angle, sweep / 2, reach, depth + 1);
}

// A polygon cut to a box about the origin (Sutherland and Hodgman)
function cutPolygon(points, halfWidth, halfHeight) {
  for (const [axis, sign, bound] of [[0, 1, halfWidth], [0, -1, halfWidth], [1, 1, halfHeight], [1, -1, halfHeight]]) {
    const kept = [], n = points.length;
    for (let k = 0; k < n; k += 2) {
      const next = (k + 2) % n, here = bound - sign * points[k + axis], there = bound - sign * points[next + axis];
      if (here >= 0) kept.push(points[k], points[k + 1]);
      if (here >= 0 !== there >= 0) {
        const share = here / (here - there), other = 1 - axis, cross = [0, 0];
        cross[axis] = sign * bound;
        cross[other] = points[k + other] + share * (points[next + other] - points[k + other]);
        kept.push(cross[0], cross[1]);
      }
    }
    points = kept;
  }
  return points;
}

// The outline as a path about the middle of the canvas; null where nothing of it is seen
function makePath(body, pose, camera) {
  const path = new Path2D();
  let seen = false;
  for (const loop of body.loops) {
    const points = cutPolygon(traceLoop(loop, pose, camera), camera.width / 2 + BEYOND, camera.height / 2 + BEYOND);
    if (points.length < 6) continue;
    seen = true;
    path.moveTo(points[0], points[1]);
    for (let k = 2; k < points.length; k += 2) path.lineTo(points[k], points[k + 1]);
    path.closePath();
  }
  const spoke = seen && findSpoke(body);
  if (spoke) {
    const ends = spoke.map(([x, y]) => camera.toScreen(...placePoint(pose, x, y)));
    if (ends.flat().every((value) => Math.abs(value) < 1e6))
      ends.forEach(([x, y], k) => path[k ? "lineTo" : "moveTo"](x - camera.width / 2, y - camera.height / 2));
  }
  return seen ? path : null;
}

// The line from the rim of a disc to its centre, which shows how it turns; null for other outlines
function findSpoke(body) {
  if (body.spoke === undefined) {
    const outer = body.loops[0], [x, y, cx, cy, radius] = outer[0];
    const round = outer.every((each) => each.length > 2 && Math.hypot(each[2] - cx, each[3] - cy) < 1e-6 * radius);
    const hole = body.loops.slice(1).flat().filter((each) => each.length > 2).map((each) => each[4]);
    const share = round ? Math.max(0, ...hole) / radius : 0;
    body.spoke = round ? [[x, y], [cx + share * (x - cx), cy + share * (y - cy)]] : null;
  }
  return body.spoke;
}

function drawBody(context, camera, body, pose, style) {
  const path = makePath(body, pose, camera);
  if (!path) return;
  context.save();
  context.translate(camera.width / 2, camera.height / 2);
  context.lineJoin = "round";
  if (style.fill) {
    context.fillStyle = style.fill;
    context.fill(path, "evenodd");
  }
  if (style.stroke) {
    context.strokeStyle = style.stroke;
    context.lineWidth = style.width || 1.2;
    context.setLineDash(style.dash || []);
    context.stroke(path);
  }
  context.restore();
}

function drawBodies(context, camera, bodies, poses, styles) {
  bodies.forEach((body, k) => drawBody(context, camera, body, poses[k], Array.isArray(styles) ? styles[k] : styles));
}

function isInside(camera, body, pose, x, y) {
  let odd = false;
  for (const loop of body.loops) {
    const points = traceLoop(loop, pose, camera), n = points.length;
    const px = x - camera.width / 2, py = y - camera.height / 2;
    for (let k = 0, j = n - 2; k < n; j = k, k += 2) {
      if (points[k + 1] > py === points[j + 1] > py) continue;
      const share = (py - points[k + 1]) / (points[j + 1] - points[k + 1]);
      if (px < points[k] + share * (points[j] - points[k])) odd = !odd;
    }
  }
  return odd;
}

function findFeature(camera, body, pose, x, y, reach = 9) {
  let best = null, number = 0;
  const offer = (word, which, point, handicap) => {
    const distance = Math.hypot(point[0] - x, point[1] - y);
    if (distance <= reach && (!best || distance + handicap < best.distance + best.handicap))
      best = { word, number: which, distance, handicap, point };
  };
  for (const loop of body.loops)
    loop.forEach((feature, k) => {
      const next = loop[(k + 1) % loop.length], which = number++;
      const start = camera.toScreen(...placePoint(pose, feature[0], feature[1]));
      const end = camera.toScreen(...placePoint(pose, next[0], next[1]));
      if (loop.length > 1 && isCorner(loop, k)) offer("vertex", which, start, 0);
      if (feature.length === 2) offer("edge", which, nearestOnSegment(start, end, x, y), 3);
      else offer("arc", which, nearestOnArc(camera, pose, feature, start, end, x, y), 3);
    });
  return best;
}

// Does the direction jump where feature k of a loop starts?
function isCorner(loop, k) {
  const n = loop.length, [here, before, next] = [loop[k], loop[(k + n - 1) % n], loop[(k + 1) % n]];
  const leave = direction(here, here, next), arrive = direction(before, here, here);
  return Math.abs(Math.atan2(arrive[0] * leave[1] - arrive[1] * leave[0],
    arrive[0] * leave[0] + arrive[1] * leave[1])) > 1e-6;
}

// Direction of travel along a feature at a point: from the point to `to`, or from the feature to the point
function direction(feature, point, to) {
  if (feature.length > 2) return [-feature[5] * (point[1] - feature[3]), feature[5] * (point[0] - feature[2])];
  return to === point ? [point[0] - feature[0], point[1] - feature[1]] : [to[0] - point[0], to[1] - point[1]];
}

function nearestOnSegment(a, b, x, y) {
  const dx = b[0] - a[0], dy = b[1] - a[1], square = dx * dx + dy * dy;
  const share = square > 0 ? Math.min(Math.max(((x - a[0]) * dx + (y - a[1]) * dy) / square, 0), 1) : 0;
  return [a[0] + share * dx, a[1] + share * dy];
}

function nearestOnArc(camera, pose, feature, start, end, x, y) {
  const centre = camera.toScreen(...placePoint(pose, feature[2], feature[3])), sign = -feature[5];
  const angle = (point) => Math.atan2(point[1] - centre[1], point[0] - centre[0]);
  const wrap = (value) => value - 2 * Math.PI * Math.floor(value / (2 * Math.PI));
  const sweep = wrap(sign * (angle(end) - angle(start))) || 2 * Math.PI, at = angle([x, y]);
  if (wrap(sign * (at - angle(start))) > sweep) return Math.hypot(start[0] - x, start[1] - y)
    < Math.hypot(end[0] - x, end[1] - y) ? start : end;
  const radius = feature[4] * camera.scale;
  return [centre[0] + radius * Math.cos(at), centre[1] + radius * Math.sin(at)];
}

function measureBodies(bodies, poses) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  bodies.forEach((body, k) => body.loops[0].forEach((feature) => {
    const round = feature.length > 2;
    const [x, y] = placePoint(poses[k], feature[round ? 2 : 0], feature[round ? 3 : 1]), r = round ? feature[4] : 0;
    [box[0], box[1]] = [Math.min(box[0], x - r), Math.min(box[1], y - r)];
    [box[2], box[3]] = [Math.max(box[2], x + r), Math.max(box[3], y + r)];
  }));
  return box;
}
