// Trees of motions: which branches there are at a time, their colours, and the list to follow one of them.

function branchColour(branch, colours) {
  if (branch.colour) return branch.colour === "ink" ? colours.ink : branch.colour;
  return branch.run >= 0 ? colours.partEdge : colours.faint;
}

function describeBranch(branch) {
  const what = branch.parent < 0 ? "the start" : branch.taken;
  const end = branch.merged !== undefined ? `merges into ${branch.merged}` : branch.children.length ? "splits"
    : branch.happened;
  return `branch ${branch.number}: ${what}${branch.sample ? " (one of a continuum)" : ""}; ${end}`;
}

class TreeView {
  // runs: of the page; select(number): follow a branch
  constructor(tree, runs, select) {
    Object.assign(this, { ...tree, runs });
    this.shown = tree.branches.filter((branch) => branch.run >= 0);
    this.paths = new Map(this.shown.map((branch) => [branch.number, new Path(new Line([runs(branch.run)]), [0, 0])]));
    this.build(select);
  }

  // The branches from the start to this one
  ancestry(number) {
    const found = [];
    for (let k = number; k >= 0; k = this.branches[k].parent) found.unshift(this.branches[k]);
    return found;
  }

  line(number) {
    return new Line(this.ancestry(number).filter((branch) => branch.run >= 0).map((branch) => this.runs(branch.run)));
  }

  // Branches that go on at a time, and leaves that have come to their end
  active(time) {
    return this.shown.filter((branch) => {
      const run = this.runs(branch.run),
        heir = branch.children.map((k) => this.branches[k]).find((child) => child.run >= 0);
      if (time < branch.time || time < run.start) return false;
      return !(heir && time >= heir.time) && !(branch.merged !== undefined && time > run.end);
    });
  }

  draw(context, camera, time, followed, colours) {
    for (const branch of this.active(time)) {
      const colour = branchColour(branch, colours), run = this.runs(branch.run);
      this.paths.get(branch.number).draw(context, camera, Math.min(time, run.end), colour,
        { dash: branch.dash || [], width: 1.3 });
      if (followed.has(branch.number)) continue;
      context.globalAlpha = 0.2;
      drawBody(context, camera, run.scene.part, run.pose(time), { fill: colour });
      context.globalAlpha = 1;
      drawBody(context, camera, run.scene.part, run.pose(time), { stroke: colour, width: 1.6, dash: branch.dash });
    }
  }

  build(select) {
    const section = find("branches"), list = make("ul", { className: "branches" });
    this.buttons = new Map();
    for (const branch of this.branches) {
      const depth = this.ancestry(branch.number).length - 1;
      const swatch = make("span", { className: "swatch" });
      const button = make("button", { type: "button", disabled: branch.run < 0, title: describeBranch(branch) }, swatch,
        `${branch.number}  ${branch.parent < 0 ? "start" : branch.taken}`);
      button.style.marginLeft = `${Math.min(depth, 8) * 0.7}rem`;
      button.addEventListener("click", () => select(branch.number));
      this.buttons.set(branch.number, [button, swatch]);
      list.append(make("li", {}, button));
    }
    fill(section.querySelector("div"), list);
    section.hidden = false;
  }

  paint(number, colours) {
    for (const [key, [button, swatch]] of this.buttons) {
      button.setAttribute("aria-pressed", String(key === number));
      swatch.style.background = branchColour(this.branches[key], colours);
    }
  }
}
