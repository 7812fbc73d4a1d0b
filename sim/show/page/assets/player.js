// The clock of a page: a time that runs at a speed, is paused, is moved. Knows no picture.

const SLOWEST = 0.001, FASTEST = 10, LONGEST_PAUSE = 0.25; // s of real time after which the replay just goes on

class Player {
  // events: rising times to step to; changed(): called after every move
  constructor(start, end, speed, changed) {
    Object.assign(this, { start, end, speed, changed, time: start, playing: false, events: [] });
  }

  seek(time) {
    this.time = Math.min(Math.max(Number(time), this.start), this.end);
    this.changed();
  }

  play() {
    if (this.playing) return;
    if (this.time >= this.end) this.time = this.start;
    Object.assign(this, { playing: true, last: null });
    requestAnimationFrame((now) => this.tick(now));
    this.changed();
  }

  pause() {
    this.playing = false;
    this.changed();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  tick(now) {
    if (!this.playing) return;
    if (this.last !== null) this.time += this.speed * Math.min((now - this.last) / 1000, LONGEST_PAUSE);
    this.last = now;
    if (this.time >= this.end) Object.assign(this, { time: this.end, playing: false });
    else requestAnimationFrame((next) => this.tick(next));
    this.changed();
  }

  // To the next event (way 1) or the one before (way -1); events at one time are one
  step(way) {
    this.playing = false;
    const stops = [this.start, ...this.events, this.end];
    const found = way > 0 ? stops.find((time) => time > this.time) : stops.filter((time) => time < this.time).pop();
    this.seek(found === undefined ? this.time : found);
  }
}
