// Numbers and elements: how a page writes quantities, and makes what it shows. Words of users are text, never HTML.

const find = (id) => document.getElementById(id);
const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
const TIME_UNITS = [[0.1, 1, "s"], [1e-4, 1e3, "ms"], [0, 1e6, "µs"]];

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function fill(element, ...children) {
  element.replaceChildren(...children);
}

const minus = (text) => text.replace("-", "−");

// A number with a prefix of its unit: 12.35 mN; below a pico unit it is nothing
function writeQuantity(value, unit, digits = 4) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "unknown" : "unbounded";
  const size = Math.abs(value), [factor, prefix] = PREFIXES.find(([least]) => size >= least * 0.99995) || [1, null];
  if (prefix === null) return `0 ${unit}`;
  const text = (value / factor).toPrecision(digits);
  return `${minus(digits > 1 ? text : String(Number(text)))} ${prefix}${unit}`;
}

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

function writeNumber(value, decimals) {
  const text = value.toFixed(decimals);
  return minus(Number(text) === 0 ? text.replace("-", "") : text);
}

// Writes the times of a run of this length: in one unit, to a millionth of it
function timeWriter(span) {
  const [factor, unit] = chooseUnit(span || 1, TIME_UNITS);
  const decimals = Math.min(Math.max(6 - Math.ceil(Math.log10((span || 1) * factor)), 0), 9);
  return (time, fewer = 0) => `${writeNumber(time * factor, Math.max(decimals - fewer, 0))} ${unit}`;
}

const writeAngle = (radians) => `${writeNumber((radians * 180) / Math.PI, 5)}°`;
const writeSpeed = (speed) => `${String(Number(speed.toPrecision(speed < 0.01 ? 1 : 2)))}×`;
