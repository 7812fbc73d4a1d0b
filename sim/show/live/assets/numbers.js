// Numbers as texts, with as many digits as say something.

function writeDigits(value, digits = 5) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text = size >= 1e6 || size < 1e-4 ? value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e", "·10^")
    : Number(value.toPrecision(digits)).toString();
  return text.replace("^+", "^").replace(/-/g, "−");
}

const FIELD_DIGITS = 8; // that fit in a field; what is not typed keeps all its digits

function writeField(value) {
  return String(Number(value.toPrecision(FIELD_DIGITS)));
}

function writeTime(seconds) {
  const [factor, unit] = Math.abs(seconds) >= 1 || seconds === 0 ? [1, "s"] : Math.abs(seconds) >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
  return `${writeDigits(seconds * factor, 5)} ${unit}`;
}

// Colours of the answers of a set, as the style sheet has them for light or dark
function readAnswerColours() {
  const style = getComputedStyle(document.documentElement);
  return [1, 2, 3, 4, 5, 6].map((k) => style.getPropertyValue(`--answer-${k}`).trim());
}
