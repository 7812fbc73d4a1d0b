"""What the command line prints, and where: answers on standard output, progress and errors on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.progress import Progress, ProgressColumn, TextColumn
from rich.table import Table

from sim.words.quoting import show_hidden

if TYPE_CHECKING:
    from geometry.shapes.outline import Outline
    from geometry.shapes.polygon import Polygon

NARROWEST_WORDS = 12  # characters of a line to which a terminal may fold a column of words


class PlainConsole(Console):
    """A console on which names of users can do nothing: characters that steer terminals are shown, not sent."""

    def print(self, *objects, **options) -> None:
        shown = ["\n".join(map(show_hidden, one.split("\n"))) if isinstance(one, str) else one for one in objects]
        super().print(*shown, **options)


class PlainTable(Table):
    """A table whose cells are as harmless, and lose nothing: where a terminal is too narrow, words go on in the next
    line, and if that is not enough the terminal breaks the lines; no digit and no exponent is left out."""

    def add_row(self, *cells, **options) -> None:
        super().add_row(*(show_hidden(cell) if isinstance(cell, str) else cell for cell in cells), **options)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widest = Measurement.get(console, options.update(max_width=10**6), self).maximum
        width = max(widest, 1)
        if console.is_terminal and widest > options.max_width:
            width = max(self._fold_words(console, options), options.max_width)
        return super().__rich_console__(console, options.update(max_width=width))

    def _fold_words(self, console: Console, options: ConsoleOptions) -> int:
        """Let columns of words be folded, hold those of numbers; the width that this needs at least."""
        free = options.update(max_width=10**6)
        for column in self.columns:
            width = max((Measurement.get(console, free, cell).maximum for cell in (column.header, *column.cells)),
                        default=0)
            words = column.justify == "left"
            column.no_wrap, column.overflow = not words, "fold"
            column.min_width = min(width, NARROWEST_WORDS) if words else width
        return Measurement.get(console, free, self).minimum


def make_console(stderr: bool = False) -> Console:
    """A console that colours no numbers and wraps no lines by itself."""
    return PlainConsole(stderr=stderr, highlight=False, soft_wrap=True, markup=False)


def make_bar(console: Console, *columns: ProgressColumn) -> Progress:
    """A progress bar: what is done, in words of the user, and the columns. It shows on terminals only, and goes."""
    return Progress(TextColumn("{task.description}", markup=False), *columns, console=console, transient=True,
                    disable=not console.is_terminal)


def print_fields(console: Console, fields: list[tuple[str, str]]) -> None:
    """Lines of a name and a value, the values under each other."""
    width = max(len(name) for name, _ in fields)
    for name, value in fields:
        console.print(f"  {name:<{width}}  {value}")


def make_table(title: str, columns: list[str], words: tuple[str, ...] = ()) -> Table:
    """An empty table; columns hold numbers, to the right, but for those in `words`."""
    table = PlainTable(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False,
                       header_style="dim", padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, justify="left" if column in words else "right", no_wrap=True)
    return table


def count_features(outline: Polygon | Outline) -> str:
    """"4 edges, 4 arcs, 1 hole", without those that there are none of."""
    arcs = int((outline.features.sign != 0).sum())
    counts = ((len(outline) - arcs, "edge"), (arcs, "arc"), (int(outline.loop[-1]), "hole"))
    return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n)


def format_number(value: float, unit: str = "") -> str:
    """Six digits, no negative zero."""
    text = f"{value + 0.0:.6g}"
    return f"{text} {unit}" if unit else text
