"""The page of an HTML movie: a player of a few lines, without anything from elsewhere."""

import html

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@TITLE@</title>
<style>
body { font-family: system-ui, sans-serif; background: #f4f2ee; color: #2b2b2b; margin: 1.5rem auto;
  max-width: 1100px; }
figure { margin: 0; background: white; border: 1px solid #d9d6cf; border-radius: 6px; padding: 0.75rem; }
img { width: 100%; display: block; }
.controls { display: flex; gap: 0.5rem; align-items: center; margin-top: 0.75rem; }
button, select { font: inherit; min-width: 2.6rem; padding: 0.3rem 0.6rem; border: 1px solid #b8b3a8;
  border-radius: 4px; background: white; cursor: pointer; }
input[type=range] { flex: 1; accent-color: #0b4f7d; }
output { min-width: 6.5rem; text-align: right; font-variant-numeric: tabular-nums; color: #77736b; }
</style>
</head>
<body>
<figure>
<img id="frame" alt="@TITLE@">
<div class="controls">
<button id="play" title="space">Play</button>
<button id="back" title="arrow left" aria-label="one frame back">&#8722;1</button>
<button id="next" title="arrow right" aria-label="one frame on">+1</button>
<input id="slider" type="range" min="0" value="0" aria-label="frame">
<select id="speed" aria-label="speed">
<option value="0.1">0.1&times;</option><option value="0.25">0.25&times;</option><option value="0.5">0.5&times;</option>
<option value="1" selected>1&times;</option><option value="2">2&times;</option>
</select>
<output id="count"></output>
</div>
</figure>
<script>
const frames = [@FRAMES@], fps = @FPS@;
const find = id => document.getElementById(id);
const image = find("frame"), slider = find("slider"), speed = find("speed");
let current = 0, timer = null;
slider.max = frames.length - 1;
function show(index) {
  current = Math.max(0, Math.min(frames.length - 1, index));
  image.src = "data:image/png;base64," + frames[current];
  slider.value = current;
  find("count").textContent = (current + 1) + " / " + frames.length;
}
function pause() { clearInterval(timer); timer = null; find("play").textContent = "Play"; }
function play() {
  if (current === frames.length - 1) show(0);
  find("play").textContent = "Pause";
  timer = setInterval(() => current < frames.length - 1 ? show(current + 1) : pause(), 1000 / (fps * speed.value));
}
function step(change) { pause(); show(current + change); }
find("play").onclick = () => timer ? pause() : play();
find("back").onclick = () => step(-1);
find("next").onclick = () => step(1);
slider.oninput = () => { pause(); show(Number(slider.value)); };
speed.onchange = () => { if (timer) { pause(); play(); } };
document.onkeydown = event => {
  const actions = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), " ": () => timer ? pause() : play() };
  const action = actions[event.key];
  if (action && event.target.tagName !== "SELECT") { event.preventDefault(); action(); }
};
show(0);
</script>
</body>
</html>
"""


def build_page(title: str, fps: float) -> tuple[str, str]:
    """The page before and after its frames: PNG images in base64, in quotes, with commas between them."""
    start, end = PAGE.split("@FRAMES@")
    return start.replace("@TITLE@", html.escape(title)), end.replace("@FPS@", repr(float(fps)))
