// The camera: between the world (m, y upwards) and the screen (CSS pixels of a canvas, y downwards), and what moves it.
//
// All drawing is done in pixels about the middle of the canvas, x = (world - camera) * scale, in double precision
// before it reaches the canvas, so that nothing jitters at 1e-9 m. Knows nothing of runs.
//
//   camera = new Camera(); camera.resize(width, height); camera.fit([x0, y0, x1, y1]);
//   moveByHand(canvas, camera, { changed, pressed(x, y), hovered(x, y) })    x, y in pixels; called after each move
//   fitCanvas(canvas, camera) -> context whose unit is a CSS pixel
//   drawAxes(context, camera, colours)                                        grid, numbers and unit

// pixels a metre: beyond, doubles have no digits left, or there is nothing to see
const CLOSEST = 1e11, FARTHEST = 1e-5;
const LENGTH_UNITS = [[5e3, 1e-3, "km"], [0.3, 1, "m"], [3e-4, 1e3, "mm"], [3e-7, 1e6, "µm"], [0, 1e9, "nm"]];

class Camera {
  constructor() {
    Object.assign(this, { x: 0, y: 0, scale: 1000, width: 300, height: 200 });
  }

  resize(width, height) {
    Object.assign(this, { width, height });
  }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toWorld(x, y) {
    return [this.x + (x - this.width / 2) / this.scale, this.y - (y - this.height / 2) / this.scale];
  }

  window() {
    return [...this.toWorld(0, this.height), ...this.toWorld(this.width, 0)];
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const [wx, wy] = this.toWorld(x, y);
    this.scale = Math.min(Math.max(this.scale * factor, FARTHEST), CLOSEST);
    this.x = wx - (x - this.width / 2) / this.scale;
    this.y = wy + (y - this.height / 2) / this.scale;
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  fit([x0, y0, x1, y1], room = 1) {
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2;
    const scale = Math.min(this.width / (x1 - x0), this.height / (y1 - y0)) / room;
    this.scale = Number.isFinite(scale) ? Math.min(Math.max(scale, FARTHEST), CLOSEST) : 1000;
  }
}

function fitCanvas(canvas, camera) {
  const ratio = window.devicePixelRatio || 1, box = canvas.getBoundingClientRect();
  const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  if (camera) camera.resize(box.width, box.height);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

function moveByHand(canvas, camera, { changed, pressed = () => {}, hovered = () => {} }) {
  const fingers = new Map();
  let moved = 0;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const step = event.deltaY * [1, 20, 400][event.deltaMode];
    camera.zoom(Math.exp(-Math.min(Math.max(step, -300), 300) * 0.0022), ...place(event));
    changed();
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (!fingers.size) moved = 0;
    fingers.set(event.pointerId, place(event));
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event), before = fingers.get(event.pointerId);
    if (!before) return hovered(...now);
    const other = [...fingers].find(([id]) => id !== event.pointerId);
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (other) {
      const [x, y] = other[1], apart = Math.max(Math.hypot(before[0] - x, before[1] - y), 1);
      camera.zoom(Math.hypot(now[0] - x, now[1] - y) / apart, x, y);
      camera.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    } else if (moved > 3) camera.pan(now[0] - before[0], now[1] - before[1]);
    fingers.set(event.pointerId, now);
    if (moved > 3 || other) changed();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (fingers.delete(event.pointerId) && moved <= 3) pressed(...place(event));
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => hovered(null, null));
}

// [factor, name] of the unit in which numbers up to `size` read well
function chooseUnit(size, units = LENGTH_UNITS) {
  const [, factor, name] = units.find(([least]) => size >= least) || units[units.length - 1];
  return [factor, name];
}

// The step of 1, 2 or 5 times a power of ten that is at least `least`: [digit, exponent]
function chooseStep(least) {
  const exponent = Math.floor(Math.log10(least) + 1e-12);
  const digit = [1, 2, 5].find((each) => each * 10 ** exponent >= least * (1 - 1e-9));
  return digit ? [digit, exponent] : [1, exponent + 1];
}

// count * 10^exponent in digits, exactly: the number of a tick never passes through a rounded double
function writeDecimal(count, exponent) {
  const sign = count < 0 ? "−" : "";
  let digits = String(Math.abs(count));
  if (exponent >= 0) digits += count === 0 ? "" : "0".repeat(exponent);
  else {
    digits = digits.padStart(1 - exponent, "0");
    digits = `${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
  }
  const [whole, rest] = digits.split(".");
  const spaced = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return sign + spaced + (rest ? `.${rest}` : "");
}

// Ticks between two numbers (in any unit): [[value, text], ...]
function listTicks(low, high, most) {
  const [digit, exponent] = chooseStep((high - low) / Math.max(most, 1));
  const step = digit * 10 ** exponent, ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++)
    ticks.push([exponent < 0 ? (k * digit) / 10 ** -exponent : k * step, writeDecimal(k * digit, exponent)]);
  return ticks;
}

function drawAxes(context, camera, colours) {
  const { width, height } = camera, [x0, y0, x1, y1] = camera.window();
  const [factor, unit] = chooseUnit(Math.max(x1 - x0, y1 - y0));
  const across = listTicks(x0 * factor, x1 * factor, width / 110);
  const upwards = listTicks(y0 * factor, y1 * factor, height / 70);
  context.save();
  context.lineWidth = 1;
  context.strokeStyle = colours.grid;
  context.beginPath();
  for (const [value] of across) {
    const x = Math.round(camera.toScreen(value / factor, 0)[0]) + 0.5;
    context.moveTo(x, 0), context.lineTo(x, height);
  }
  for (const [value] of upwards) {
    const y = Math.round(camera.toScreen(0, value / factor)[1]) + 0.5;
    context.moveTo(0, y), context.lineTo(width, y);
  }
  context.stroke();
  context.restore();
  return () => drawNumbers(context, camera, colours, across, upwards, factor, unit);
}

// The numbers lie over all that is drawn: `drawAxes` returns what writes them.
function drawNumbers(context, camera, colours, across, upwards, factor, unit) {
  const { width, height } = camera;
  context.save();
  context.font = "11px system-ui, sans-serif";
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeStyle = colours.paper;
  context.fillStyle = colours.faint;
  const write = (text, x, y) => (context.strokeText(text, x, y), context.fillText(text, x, y));
  const unitWidth = context.measureText(unit).width + 14;
  context.textAlign = "center";
  context.textBaseline = "bottom";
  for (const [value, text] of across) {
    const x = camera.toScreen(value / factor, 0)[0], half = context.measureText(text).width / 2;
    if (x - half > 34 && x + half < width - unitWidth - 4) write(text, x, height - 4);
  }
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const [value, text] of upwards) {
    const y = camera.toScreen(0, value / factor)[1];
    if (y > 9 && y < height - 22) write(text, 5, y);
  }
  context.fillStyle = colours.text;
  context.textAlign = "right";
  context.textBaseline = "bottom";
  write(unit, width - 7, height - 4);
  context.restore();
}
