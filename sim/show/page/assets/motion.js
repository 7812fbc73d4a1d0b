// Motions: exact pieces of a run, laws of obstacles that move, contacts carried between the rows of the log.

const NOWHERE = [0, 0, 0];

// Index of the last number of a rising column that is not above a value; -1 if all are
function findLast(column, value) {
  let low = 0, high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function evaluateCoordinate({ pieces, waves = [] }, time) {
  let which = 0;
  while (which + 1 < pieces.length && pieces[which + 1][0] <= time) which++;
  const piece = pieces[which], u = time - piece[1];
  let value = 0;
  for (let k = piece.length - 1; k >= 2; k--) value = value * u + piece[k];
  for (const [amplitude, frequency, phase] of waves) value += amplitude * Math.sin(frequency * time + phase);
  return value;
}

// Pose of a frame that moves as prescribed; the pivot is a point of the frame
function placeMotion(motion, time) {
  if (!motion) return NOWHERE;
  const theta = evaluateCoordinate(motion.theta, time), c = Math.cos(theta), s = Math.sin(theta),
    [px, py] = motion.pivot;
  return [evaluateCoordinate(motion.x, time) + s * py - c * px, evaluateCoordinate(motion.y, time) - s * px - c * py,
    theta];
}

class Run {
  // data: of a run in the page; scene: its bodies; column: reads a column
  constructor(data, scene, column, words) {
    const read = (group) => Object.fromEntries(Object.entries(group).map(
      ([name, value]) => [name, Array.isArray(value) ? column(value) : value]));
    Object.assign(this, { ...data, scene, words });
    for (const group of ["pieces", "rows", "contacts", "events"]) this[group] = read(data[group]);
    this.start = this.pieces.begin[0];
    this.end = this.pieces.end;
  }

  clamp(time) {
    return Math.min(Math.max(time, this.start), this.end);
  }

  // Value (order 0), first or second derivative of x, y, theta
  pose(time, order = 0) {
    const { begin, coefficients } = this.pieces, t = this.clamp(time);
    const which = Math.max(findLast(begin, t), 0), u = t - begin[which], found = [0, 0, 0];
    for (let c = 0; c < 3; c++)
      for (let k = 5; k >= order; k--)
        found[c] = found[c] * u + [1, k, k * (k - 1)][order] * coefficients[which * 18 + c * 6 + k];
    return found;
  }

  obstaclePose(index, time) {
    return placeMotion(this.scene.obstacles[index].motion, this.clamp(time));
  }

  row(time) {
    return Math.max(findLast(this.rows.time, this.clamp(time)), 0);
  }

  kind(time) {
    return this.words.kinds[this.rows.kind[this.row(time)]];
  }

  // The contacts of the row at or before a time, carried along to the time; forces are those of the row
  contactsAt(time) {
    const t = this.clamp(time), row = this.row(t), { contacts, rows } = this, found = [];
    const was = this.pose(rows.time[row]), now = this.pose(t), told = this.words.kinds[rows.kind[row]] !== "none";
    for (let k = rows.first[row]; k < rows.first[row] + rows.count[row]; k++) {
      const pair = this.pairs[contacts.pair[k]], { obstacle, own, other, type } = pair;
      const wall = [this.obstaclePose(obstacle, rows.time[row]), this.obstaclePose(obstacle, t)];
      found.push({
        obstacle, own, other, type, name: this.scene.obstacles[obstacle].name,
        letter: told ? this.words.letters[contacts.letter[k]] : "",
        fn: contacts.fn[k], ft: contacts.ft[k], slip: contacts.slip[k],
        mu: this.scene.obstacles[obstacle].mu, ...this.carry(k, pair, was, now, ...wall),
      });
    }
    return found;
  }

  // Point and normal of contact k: what is round rides with its body, a normal with the edge, or between two centres
  carry(k, { type, radii = [0, 0] }, was, now, wallWas, wallNow) {
    const { contacts } = this, [own, other] = radii;
    const normal = [contacts.nx[k], contacts.ny[k]], point = [contacts.px[k], contacts.py[k]];
    const offset = (place, radius, along) => [place[0] + radius * along[0], place[1] + radius * along[1]];
    const centre = carryPoint(offset(point, own, normal), was, now);
    const wall = carryPoint(offset(point, -other, normal), wallWas, wallNow);
    let n = turn(normal, type === "A" ? now[2] - was[2] : wallNow[2] - wallWas[2]);
    const apart = Math.hypot(centre[0] - wall[0], centre[1] - wall[1]);
    if (type === "C" && apart > 0) {
      const sign = own + other < 0 ? -1 : 1;
      n = [(sign * (centre[0] - wall[0])) / apart, (sign * (centre[1] - wall[1])) / apart];
    }
    const [x, y] = type === "A" ? offset(wall, other, n) : offset(centre, -own, n);
    return { x, y, nx: n[0], ny: n[1] };
  }

  // The place of a contact in words: its features, or the obstacle alone; "" for none
  describePlace(pair, obstacle) {
    const features = this.pairs[pair], body = this.scene.obstacles[obstacle];
    return features ? `${features.own} on ${this.scene.obstacles[features.obstacle].name}, ${features.other}`
      : body ? body.name : "";
  }

  // The impulses of impacts at this very time, in their order: fn and ft in N s
  impulsesAt(time) {
    const { events } = this, found = [];
    for (let k = findLast(events.impulse_time, time); k >= 0 && events.impulse_time[k] === time; k--)
      found.unshift({ where: this.describePlace(events.impulse_pair[k], events.impulse_obstacle[k]),
        fn: events.impulse_fn[k], ft: events.impulse_ft[k] });
    return found;
  }

  // What event k is, in words
  describeEvent(k) {
    const { events } = this, place = this.describePlace(events.pair[k], events.obstacle[k]),
      where = place ? `: ${place}` : "";
    const many = events.alternatives[k] > 1 ? ` (${events.alternatives[k]} alternatives)` : "";
    return `${this.words.events[events.kind[k]]}${where}${many}`;
  }
}

// The runs of branches, one after the other, as one motion
class Line {
  constructor(runs) {
    this.runs = runs;
    this.start = runs[0].start;
    this.end = runs[runs.length - 1].end;
    this.scene = runs[0].scene;
    this.events = runs.flatMap((run) => [...run.events.time].map((time, k) => ({ time, run, k })));
    this.notUnique = runs.flatMap((run) => run.notUnique);
    this.ending = runs[runs.length - 1].ending;
  }

  at(time) {
    return this.runs.findLast((run) => run.start <= time) || this.runs[0];
  }

  pose(time, order) {
    return this.at(time).pose(time, order);
  }

  contactsAt(time) {
    return this.at(time).contactsAt(time);
  }

  obstaclePose(index, time) {
    return placeMotion(this.scene.obstacles[index].motion, Math.min(Math.max(time, this.start), this.end));
  }
}

function turn([x, y], angle) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return [c * x - s * y, s * x + c * y];
}

// A point that rides with a body from one pose to another
function carryPoint(point, was, now) {
  const [x, y] = turn([point[0] - was[0], point[1] - was[1]], now[2] - was[2]);
  return [now[0] + x, now[1] + y];
}
