// The page: reads the data, joins player, camera and picture.

const find = (id) => document.getElementById(id);

async function start() {
  const data = JSON.parse(find("data").textContent), column = await unpackColumns(data.columns);
  const run = new Run(data.runs[0], data.scenes[0], column, data.words);
  const canvas = find("canvas"), camera = new Camera();
  let colours = readColours(), asked = false;
  const newtons = findForceScale(run), box = findBox(run);
  const draw = () => {
    asked = false;
    const context = fitCanvas(canvas, camera), time = player.time, pose = run.pose(time);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, camera.width, camera.height);
    const writeAxes = drawAxes(context, camera, colours), { obstacles, part } = run.scene;
    drawBodies(context, camera, obstacles, obstacles.map((_, k) => run.obstaclePose(k, time)),
      obstacles.map((body) => obstacleStyle(body, colours)));
    drawBody(context, camera, part, pose, { fill: colours.part, stroke: colours.partEdge, width: 1.5 });
    drawPath(context, camera, tracePath(run, [0, 0], run.start, time), colours.trace);
    drawMark(context, camera.toScreen(pose[0], pose[1]), colours.partEdge);
    drawContacts(context, camera, run.contactsAt(time), { colours, newtons });
    writeAxes();
    find("time").textContent = `${time.toFixed(7)} s`;
    find("play").textContent = player.playing ? "Pause" : "Play";
  };
  const ask = () => asked || (asked = true, requestAnimationFrame(draw));
  const player = new Player(run.start, run.end, data.speed || 1, ask);
  player.events = [...run.events.time];
  find("title").textContent = data.scenes[0].name;
  find("play").onclick = () => player.toggle();
  find("back").onclick = () => player.step(-1);
  find("next").onclick = () => player.step(1);
  moveByHand(canvas, camera, { changed: ask });
  fitCanvas(canvas, camera);
  camera.fit(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (colours = readColours(), ask()));
  new ResizeObserver(ask).observe(canvas);
  window.stiction = {
    seek: (time) => player.seek(time), pose: (time) => run.pose(time), contacts: (time) => run.contactsAt(time),
    obstaclePose: (index, time) => run.obstaclePose(index, time), play: () => player.play(), pause: () => player.pause(),
    zoom: (factor, x, y) => (camera.zoom(factor, x, y), ask()),
    view: () => ({ x: camera.x, y: camera.y, scale: camera.scale, width: camera.width, height: camera.height }),
  };
  ask();
}

start();
