"""Movies of a trajectory: GIF or MP4, by the suffix of the file.

No window system and no global state of matplotlib is used, so movies can be made without a display and in any thread.
Suffix, encoder and folder are checked before the first frame is drawn; the file appears under its name when complete.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import GifImagePlugin

from sim.files.partial_file import PartialFile, prepare_place
from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.show.palette import Palette
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.replay.frames import ReplayError, find_frame_times
from sim.show.replay.picture import SIZE, Repainter
from sim.show.replay.tree_frames import TreeMotion
from sim.show.replay.tree_picture import make_picture

GIF_FPS = 50.0  # a GIF with more is slowed down by what shows it
SAMPLES = 6  # frames that the palette is made of


def save_movie(
    trajectory: Trajectory | Tree | str | Path,
    path: str | Path,
    fps: float = 25.0,
    speed: float = 1.0,
    dpi: float = 100.0,
    progress: Callable[[int, int], None] | None = None,
    options: PictureOptions = PLAIN,
) -> Path:
    """Write a movie of a trajectory or tree, or of the log with that name, to `path` (.gif or .mp4).

    The movie has a frame every speed/fps seconds of the log and one at its end. `progress(done, all)` is called after
    each frame. Raises ReplayError if the suffix, the encoder, the folder or a number is not usable, before drawing.
    """
    path = Path(path)
    encoder_type = find_encoder(path)
    check_dpi(dpi)
    motion: Any = open_source(trajectory)  # a TreeMotion has what is asked of a Trajectory here
    times = find_frame_times(motion, fps, speed)
    prepare_folder(path)
    try:
        with PartialFile(path, path.suffix.lower()) as partial:
            encoder = encoder_type(partial, fps, motion.record.name or path.stem)
            try:
                encoder.prepare(draw_frames(motion, find_sample_times(motion), dpi, speed, options))
                for count, frame in enumerate(draw_frames(motion, times, dpi, speed, options), start=1):
                    encoder.add(frame)
                    if progress is not None:
                        progress(count, len(times))
                encoder.close()
            except BaseException:
                encoder.abandon()
                raise
            partial.publish()
    except OSError as error:
        raise ReplayError(f"cannot write the movie {path}: {error.strerror or error}") from error
    return path


def open_source(source: Trajectory | Tree | TreeMotion | str | Path) -> Trajectory | TreeMotion:
    """What is shown: of a log its trajectory, or the tree that it holds."""
    if isinstance(source, str | Path):
        from sim.log.reading import read_source

        source = read_source(source)
    return TreeMotion(source) if isinstance(source, Tree) else source


def draw_frames(trajectory: Trajectory | TreeMotion, times: np.ndarray, dpi: float,
                speed: float = 1.0, options: PictureOptions = PLAIN) -> Iterator[np.ndarray]:
    """Yield one (height, width, 4) uint8 image a time, in a buffer that the next one overwrites.

    Width and height are even, as video encoders want.
    """
    width, height = (2.0 * round(side * dpi / 2.0) / dpi for side in SIZE)
    figure = Figure(figsize=(width, height), dpi=dpi)
    canvas = FigureCanvasAgg(figure)
    picture = make_picture(figure, trajectory, speed, options=options)
    picture.paint(times[0])
    repainter = Repainter(picture)
    for time in times:
        picture.paint(time)
        repainter.update()
        yield np.asarray(canvas.buffer_rgba())


def find_sample_times(trajectory: Trajectory) -> np.ndarray:
    """Times whose frames hold all colours of the movie: spread evenly, and where the motion was not unique."""
    times = np.linspace(trajectory.time[0], trajectory.time[-1], SAMPLES)
    return np.append(times, trajectory.not_unique[:1, 0])


def check_dpi(dpi: float) -> None:
    """A picture must have a size that can be drawn."""
    if not 20.0 <= dpi <= 1000.0:
        raise ReplayError(f"dpi must lie between 20 and 1000, not {dpi!r}")


def prepare_folder(path: Path, what: str = "movie") -> None:
    """Make the folder of a movie and see that a file can be put there. Raises ReplayError."""
    if path.is_dir():
        raise ReplayError(f"cannot write the {what} {path}: it is a folder")
    try:
        prepare_place(path)
    except OSError as error:
        raise ReplayError(f"cannot write the {what} {path}: {error.strerror or error}") from error


def find_encoder(path: Path) -> Any:
    """The encoder for the suffix of a file; raises ReplayError if there is none, or if it lacks its program."""
    suffix = path.suffix.lower()
    if suffix not in ENCODERS:
        given = f"{suffix!r}" if suffix else "a name without suffix"
        raise ReplayError(f"cannot write the movie {path}: {given} is not a kind of movie; use .gif or .mp4, "
                          ".html for a page (`save_page`), or for a picture of the end .png, .svg or .pdf")
    encoder = ENCODERS[suffix]
    encoder.check(path)
    return encoder


class GifEncoder:
    """Frames with one common palette, written one by one; of each frame only what differs from the one before.

    GIF counts time in hundredths of a second: delays are rounded so that their sum is right.
    """

    @staticmethod
    def check(path: Path) -> None:
        """Pillow always has it."""

    def __init__(self, partial: PartialFile, fps: float, title: str):
        if fps > GIF_FPS:
            raise ReplayError(f"a GIF shows at most {GIF_FPS:g} frames a second, not {fps:g}; use .mp4, or a lower fps")
        self._file = partial.open()
        self._fps = fps
        self._count = 0
        self._shown: np.ndarray | None = None

    def prepare(self, samples: Iterator[np.ndarray]) -> None:
        """Choose the colours."""
        self._palette = Palette(samples)

    def add(self, frame: np.ndarray) -> None:
        """Write a frame."""
        image = self._palette.apply(frame)
        if self._shown is None:
            header, _ = GifImagePlugin.getheader(image.copy(), info={"loop": 0, "duration": 1, "optimize": False})
            self._file.write(b"".join(header))
        left, top, right, bottom = find_change(np.asarray(image), self._shown)
        delay = round(100.0 * (self._count + 1) / self._fps) - round(100.0 * self._count / self._fps)
        blocks = GifImagePlugin.getdata(image.crop((left, top, right, bottom)), (left, top), duration=10 * delay)
        self._file.write(b"".join(blocks))
        self._shown = np.asarray(image)
        self._count += 1

    def close(self) -> None:
        """End the file."""
        self._file.write(b";")
        self._file.close()

    def abandon(self) -> None:
        """Let go of the file, which nobody will see."""
        with contextlib.suppress(OSError):  # what is left to be written does not matter
            self._file.close()


def find_change(image: np.ndarray, before: np.ndarray | None) -> tuple[int, int, int, int]:
    """The smallest box (left, top, right, bottom) with all that changed; one pixel if nothing did."""
    if before is None:
        return 0, 0, image.shape[1], image.shape[0]
    changed = image != before
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    if len(rows) == 0:
        return 0, 0, 1, 1
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


class Mp4Encoder:
    """H.264 by the ffmpeg program that comes with the package imageio-ffmpeg; none needs to be installed."""

    @staticmethod
    def check(path: Path) -> None:
        """Is the program there?"""
        try:
            import imageio_ffmpeg

            imageio_ffmpeg.get_ffmpeg_exe()
        except (ImportError, RuntimeError, OSError) as error:
            raise ReplayError(
                f"cannot write the movie {path}: the encoder for .mp4 is missing ({str(error).splitlines()[0]}); "
                "`pip install imageio-ffmpeg` brings it, .gif and .html work without it"
            ) from error

    def __init__(self, partial: PartialFile, fps: float, title: str):
        self._path = partial.path
        self._fps = Fraction(fps).limit_denominator()
        self._program: subprocess.Popen[bytes] | None = None
        self._said: deque[bytes] = deque(maxlen=1)  # the last line
        self._listener = threading.Thread(target=self._listen, daemon=True)  # a pipe that nobody reads would hold it up

    def prepare(self, samples: Iterator[np.ndarray]) -> None:
        """Nothing to choose."""

    def add(self, frame: np.ndarray) -> None:
        """Hand a frame to the program. Raises OSError where it has ended."""
        if self._program is None:
            self._program = self._start(*frame.shape[:2])
            self._listener.start()
        try:
            _get_pipe(self._program, "stdin").write(frame.tobytes())
        except BrokenPipeError:
            self.close()
            raise

    def close(self) -> None:
        """Let the program finish the file. Raises OSError, with its last words, where it cannot."""
        if self._program is None:
            return
        with contextlib.suppress(BrokenPipeError):  # it has ended before, and says why
            _get_pipe(self._program, "stdin").close()
        code = self._program.wait()
        self._listener.join()
        if code != 0:
            said = self._said[-1].decode(errors="replace").strip() if self._said else f"code {code}"
            raise OSError(f"the encoder has failed: {said}")

    def abandon(self) -> None:
        """End the program, whatever it does."""
        if self._program is not None:
            self._program.kill()
            with contextlib.suppress(BrokenPipeError):
                _get_pipe(self._program, "stdin").close()
            self._program.wait()
            if self._listener.is_alive():
                self._listener.join()

    def _listen(self) -> None:
        """Keep what the program says last, until it ends."""
        with _get_pipe(self._program, "stderr") as said:
            self._said.extend(line for line in said if line.strip())

    def _start(self, height: int, width: int) -> subprocess.Popen[bytes]:
        import imageio_ffmpeg

        return subprocess.Popen(
            [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-f", "rawvideo", "-vcodec", "rawvideo", "-s", f"{width}x{height}",
             "-pix_fmt", "rgba", "-r", str(self._fps), "-i", "-", "-an", "-vcodec", "libx264", "-pix_fmt", "yuv420p",
             "-v", "error", "-crf", "18", "-preset", "medium", "-movflags", "+faststart", str(self._path)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            start_new_session=True)  # Ctrl-C goes to all that share a session; it is this process that ends the movie


def _get_pipe(program: subprocess.Popen[bytes] | None, name: str) -> IO[bytes]:
    pipe = getattr(program, name, None)
    if pipe is None:
        raise ValueError(f"the program was started without {name}")
    return pipe


ENCODERS: dict[str, Any] = {".gif": GifEncoder, ".mp4": Mp4Encoder}
