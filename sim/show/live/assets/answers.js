// The set of accelerations in words and numbers, and beside each what it was before: new, gone, or changed by how much.

const KIND_WORDS = { none: "none", one: "one", several: "several", continuum: "a continuum" };
const SAME = 1e-9; // relative: smaller differences are rounding, and are not shown

class Answers {
  // chosen(): called when another answer is to be drawn with its forces
  constructor(chosen) {
    Object.assign(this, { chosen, mode: null, present: 0 });
  }

  // The answer that is drawn: of the mode that was chosen, or with the most contacts that stay closed
  find(instant) {
    const { pieces } = instant, closed = ({ mode }) => [...mode].filter((letter) => letter !== "s").length;
    const own = pieces.findIndex(({ mode }) => mode === this.mode);
    const most = pieces.reduce((best, piece, k) => (closed(piece) > closed(pieces[best]) ? k : best), 0);
    return (this.present = own < 0 ? most : own);
  }

  show(instant, old) {
    this.showVerdict(instant, old);
    const left = old ? [...old.pieces] : [];
    const cards = instant.pieces.map((piece, k) => {
      const at = left.findIndex((other) => other.mode === piece.mode && other.dimension === piece.dimension);
      return this.makeCard(piece, k, instant, at < 0 ? null : left.splice(at, 1)[0], old);
    });
    for (const piece of left) cards.push(this.makeGone(piece, old));
    find("answers").replaceChildren(...cards);
  }

  showVerdict(instant, old) {
    const before = old && old.kind !== instant.kind ? old.kind : null, words = [...instant.explanation, ...instant.doubts];
    const now = make("span", { class: `kind kind-${instant.kind}`, id: "kind", "data-kind": instant.kind }, KIND_WORDS[instant.kind]);
    const was = before ? [make("span", { class: `kind was kind-${before}` }, KIND_WORDS[before]), make("span", { class: "to" }, "→")] : [];
    const parts = [make("div", { class: "kinds" }, ...was, now), make("p", { class: "headline" }, instant.headline)];
    if (instant.impact) parts.push(make("p", { class: "small" }, "A contact closes with a speed: an impact comes before this acceleration."));
    if (!instant.contacts.length) parts.push(make("p", { class: "small" }, "No contact is closed."));
    if (words.length) parts.push(make("details", { open: instant.kind === "none" }, make("summary", {}, "Why"),
      ...words.map((line) => make("p", { class: "small" }, line))));
    const open = find("verdict").querySelector("details")?.open;
    find("verdict").replaceChildren(...parts);
    if (open && words.length) find("verdict").querySelector("details").open = true;
  }

  makeCard(piece, k, instant, was, old) {
    const shape = piece.dimension ? `, ${["", "a segment", "a polygon"][piece.dimension]}${piece.rays.length ? " without end" : ""}` : "";
    const head = make("div", { class: "answer-head" }, make("span", { class: `bullet answer-${(k % 6) + 1}` }, String(k + 1)),
      ...[...piece.mode].map((letter) => make("span", { class: "chip" }, letter)),
      make("span", { class: "mode" }, describeMode(piece, instant) + shape),
      ...(old && !was ? [make("span", { class: "tag new" }, "new")] : []));
    const card = make("div", { class: "card answer", "data-mode": piece.mode, onclick: () => this.choose(piece.mode) }, head,
      this.makeAccelerations(piece, was));
    if (instant.contacts.length) card.append(this.makeForces(piece, instant, was));
    if (!piece.certified) card.append(make("p", { class: "small" }, `Not certain: residual ${piece.residual.toExponential(1)} m/s².`));
    card.classList.toggle("present", k === this.present && instant.pieces.length > 1);
    return card;
  }

  makeAccelerations(piece, was) {
    const rows = piece.vertices.map((vertex, i) => make("tr", {}, ...vertex.map((value, c) => makeCell(value, was?.vertices[i]?.[c]))));
    for (const ray of piece.rays) rows.push(make("tr", {}, ...ray.map((value) => make("td", {}, `+ ${writeDigits(value)} s`))));
    return make("table", { class: "accelerations" }, makeHead([["a", "x", " [m/s²]"], ["a", "y", " [m/s²]"],
      ["α", "", " [rad/s²]"]].map(([letter, index, unit]) => [letter, make("sub", {}, index), unit])), make("tbody", {}, ...rows));
  }

  makeForces(piece, instant, was) {
    const rows = instant.contacts.map((contact, c) => {
      const [fn, ft] = piece.forces[0][c], [oldN, oldT] = was?.forces[0][c] || [];
      return make("tr", {}, make("th", { title: `${contact.obstacle}, type ${contact.type}, µ = ${writeDigits(contact.mu)}` },
        `${c} ${contact.obstacle}`), makeCell(fn, oldN), makeCell(ft, oldT));
    });
    const least = piece.forces_unique ? "" : " (not unique: the least)";
    return make("table", { class: "forces" }, makeHead([`contact${least}`, "normal [N]", "friction [N]"]), make("tbody", {}, ...rows));
  }

  makeGone(piece, old) {
    const [ax, ay, alpha] = piece.vertices[0].map((value) => writeDigits(value));
    return make("div", { class: "card answer gone" }, make("div", { class: "answer-head" },
      ...[...piece.mode].map((letter) => make("span", { class: "chip" }, letter)), make("span", { class: "mode" }, describeMode(piece, old)),
      make("span", { class: "tag" }, "gone")), make("p", { class: "small" }, `was (${ax}, ${ay}, ${alpha})`));
  }

  choose(mode) {
    this.mode = mode;
    this.chosen();
  }
}

function describeMode(piece, instant) {
  if (instant.contacts.length !== 1) return piece.words;
  return { s: "separates", n: "rolls", l: "slides", r: "slides" }[piece.mode] || piece.words;
}

function makeHead(words) {
  return make("thead", {}, make("tr", {}, ...words.map((word) => make("th", {}, ...[word].flat()))));
}

// A number, and what it was, where that is another
function makeCell(value, was) {
  const cell = make("td", {}, make("span", { class: "number" }, writeDigits(value)));
  if (was !== undefined && Math.abs(value - was) > SAME * Math.max(Math.abs(value), Math.abs(was), SAME)
      && writeDigits(value) !== writeDigits(was)) {
    cell.classList.add("moved");
    cell.append(make("span", { class: "was" }, writeDigits(was)));
  }
  return cell;
}
