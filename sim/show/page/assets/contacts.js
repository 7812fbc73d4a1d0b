// Contacts: friction cones, normal and friction forces, letters of the mode. Knows nothing of runs.
//
//   contact = { x, y, nx, ny, letter, fn, ft, mu }   m; n from the obstacle towards the part, ft along t = (ny, -nx), N
//             fn or ft infinite or NaN: the force has no bound (the part is jammed); letter "" for none
//   style = { colours, newtons, cones, forces, letters }       newtons: N of an arrow of full length; the rest: shown?
//   drawContacts(context, camera, contacts, style);  drawArrow(context, x, y, dx, dy, colour)   pixels
//   arrowLength(camera) -> pixels of an arrow of full length

const CUT = 1.7; // longer arrows are cut at this multiple of the full length

function arrowLength(camera) {
  return Math.min(Math.max(0.2 * Math.min(camera.width, camera.height), 46), 110);
}

function isUnbounded(contact) {
  return !(Number.isFinite(contact.fn) && Number.isFinite(contact.ft));
}

function drawArrow(context, x, y, dx, dy, colour) {
  const length = Math.hypot(dx, dy);
  if (!(length > 1.5)) return;
  const head = Math.min(11, 0.6 * length), half = Math.min(4.6, 0.28 * length), stem = Math.min(1.5, 0.1 * length);
  context.save();
  context.translate(x, y);
  context.rotate(Math.atan2(dy, dx));
  context.beginPath();
  for (const [u, v] of [[0, -stem], [length - head, -stem], [length - head, -half], [length, 0], [length - head, half],
    [length - head, stem], [0, stem]]) context.lineTo(u, v);
  context.closePath();
  context.fillStyle = colour;
  context.fill();
  context.restore();
}

function drawCone(context, camera, contact, colours) {
  if (!(contact.mu > 0)) return;
  const [x, y] = camera.toScreen(contact.x, contact.y), half = Math.atan(contact.mu);
  const middle = Math.atan2(-contact.ny, contact.nx);
  context.beginPath();
  context.moveTo(x, y);
  context.arc(x, y, 0.55 * arrowLength(camera), middle - half, middle + half);
  context.closePath();
  context.globalAlpha = 0.26;
  context.fillStyle = colours.cone;
  context.fill();
  context.globalAlpha = 0.9;
  context.strokeStyle = colours.cone;
  context.lineWidth = 1;
  context.stroke();
  context.globalAlpha = 1;
}

function drawForces(context, camera, contact, style) {
  const { colours } = style, [x, y] = camera.toScreen(contact.x, contact.y), full = arrowLength(camera);
  if (isUnbounded(contact)) {
    drawArrow(context, x, y, contact.nx * full, -contact.ny * full, colours.normal);
    context.font = "bold 17px system-ui, sans-serif";
    context.fillStyle = colours.normal;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const along = 0.6 * full;
    context.fillText("∞", x + along * contact.nx + 13 * contact.ny, y - along * contact.ny + 13 * contact.nx);
    return;
  }
  if (!(style.newtons > 0)) return;
  const scale = (newtons) => Math.sign(newtons) * Math.min(Math.abs(newtons) / style.newtons, CUT) * full;
  const fn = scale(contact.fn), ft = scale(contact.ft);
  drawArrow(context, x, y, contact.nx * fn, -contact.ny * fn, colours.normal);
  drawArrow(context, x, y, contact.ny * ft, contact.nx * ft, colours.friction);
}

// Letters of contacts that lie at one place share a plate, below the contact as the normal says
function drawLetters(context, camera, contacts, colours) {
  const plates = [];
  for (const contact of contacts.filter((each) => each.letter)) {
    const [x, y] = camera.toScreen(contact.x, contact.y);
    const at = [x - 15 * contact.nx, y + 15 * contact.ny];
    const near = plates.find((plate) => Math.hypot(plate.at[0] - at[0], plate.at[1] - at[1]) < 17);
    if (near) near.text += contact.letter;
    else plates.push({ at, text: contact.letter });
  }
  context.font = "bold 11px ui-monospace, Menlo, Consolas, monospace";
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const { at: [x, y], text } of plates) {
    const half = Math.max(8, context.measureText(text).width / 2 + 4);
    context.beginPath();
    context.roundRect(x - half, y - 8, 2 * half, 16, 8);
    context.fillStyle = colours.paper;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = colours.line;
    context.stroke();
    context.fillStyle = colours.text;
    context.fillText(text, x, y + 0.5);
  }
}

function drawContacts(context, camera, contacts, style) {
  const { colours } = style;
  context.save();
  if (style.cones !== false) contacts.forEach((contact) => drawCone(context, camera, contact, colours));
  if (style.forces !== false) contacts.forEach((contact) => drawForces(context, camera, contact, style));
  for (const contact of contacts) {
    const [x, y] = camera.toScreen(contact.x, contact.y);
    context.beginPath();
    context.arc(x, y, 3.2, 0, 2 * Math.PI);
    context.fillStyle = colours.text;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = colours.paper;
    context.stroke();
  }
  if (style.letters !== false) drawLetters(context, camera, contacts, colours);
  context.restore();
}
