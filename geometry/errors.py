"""The root of all exceptions of Stiction, and their tree.

    StictionError                    every error whose message is meant for the user
      InputError                     arguments of calls                  (also ValueError)
        OutlineError, DrawingError   outlines with arcs, drawings        (also ValueError)
        NoPlanError                  plans of tilts that there are none of  (also ValueError)
      PolygonError, BoundaryError    outlines                            (also ValueError)
      MotionError                    prescribed motions                  (also ValueError)
      FormationError                 contact formations                  (also ValueError)
      ConeError                      wrench cones                        (also ValueError)
      SceneError                     scenes; OverlapError, NoOutlineError, NoStartError  (also ValueError)
      HeldError                      what holds a part                   (also ValueError)
      TomlError, PathError           texts of scenes, and paths in them  (also ValueError)
      TrajectoryFileError            logs that cannot be read            (also ValueError)
      ColumnError                    columns and curves of a run         (also ValueError)
      WriteError                     logs that cannot be written         (also OSError)
      SweepError                     sweeps; SweepFileError              (also ValueError)
      MapError, PlotError            maps and pictures                   (also ValueError)
      PictureError, ExpressionError  titles, views, arithmetic in them   (also ValueError)
      ReplayError                    movies and the viewer               (also ValueError)
      ControlStudyError, NoControlError  figures of controlled runs      (also ValueError)
      RequestError                   what a live view is asked           (also ValueError)
      ServerError, WorkerError       its server, and what computes for it
      UserError                      words on the command line
"""

from __future__ import annotations


def _rebuild(kind: type[StictionError], arguments: tuple, state: dict) -> StictionError:
    """An error from its arguments, as its base class keeps them, and its attributes."""
    error = kind.__new__(kind)
    (OSError if issubclass(kind, OSError) else Exception).__init__(error, *arguments)
    error.__dict__.update(state)
    return error


class StictionError(Exception):
    """Something that the user can mend; the message says what was given, why it is wrong, and what is valid."""

    def __reduce__(self) -> tuple:
        """As what it holds, whatever its own constructor takes: errors cross from process to process."""
        return _rebuild, (type(self), super().__reduce__()[1], self.__dict__)


class InputError(StictionError, ValueError):
    """An argument cannot be used: it has a wrong shape, a wrong sign, a wrong letter, or is not finite."""
