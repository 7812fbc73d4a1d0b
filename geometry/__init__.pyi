"""Names that the package offers, and where they live."""

from .errors import StictionError as StictionError
from .formation.formations import (
    FormationContact as FormationContact,
)
from .formation.formations import (
    FormationError as FormationError,
)
from .formation.formations import (
    FormationPose as FormationPose,
)
from .formation.formations import (
    FormationPoses as FormationPoses,
)
from .formation.formations import (
    arc_on_arc as arc_on_arc,
)
from .formation.formations import (
    arc_on_edge as arc_on_edge,
)
from .formation.formations import (
    contact_of_edge as contact_of_edge,
)
from .formation.formations import (
    contact_of_features as contact_of_features,
)
from .formation.formations import (
    contact_of_vertex as contact_of_vertex,
)
from .formation.formations import (
    edge_on_arc as edge_on_arc,
)
from .formation.formations import (
    edge_on_vertex as edge_on_vertex,
)
from .formation.formations import (
    find_type as find_type,
)
from .formation.formations import (
    pin as pin,
)
from .formation.formations import (
    solve_formation as solve_formation,
)
from .formation.formations import (
    solve_formations as solve_formations,
)
from .formation.formations import (
    solve_placements as solve_placements,
)
from .formation.formations import (
    vertex_on_edge as vertex_on_edge,
)
from .formation.realised import verify_formation as verify_formation
from .formation.sheets import list_sheets as list_sheets
from .formation.tracking import Track as Track
from .formation.tracking import track_formation as track_formation
from .prescribed.motion import Coordinate as Coordinate
from .prescribed.motion import Motion as Motion
from .prescribed.motion import MotionError as MotionError
from .rest.rest_poses import RestPose as RestPose
from .rest.rest_poses import list_rest_poses as list_rest_poses
from .rest.squeezing import Squeeze as Squeeze
from .rest.squeezing import SqueezePlan as SqueezePlan
from .shapes.features import OutlineError as OutlineError
from .shapes.outline import Outline as Outline
from .shapes.polygon import Polygon as Polygon
from .shapes.polygon import PolygonError as PolygonError
from .shapes.pose import Pose as Pose
from .shapes.union.boundary import BoundaryError as BoundaryError
from .shapes.union.boundary import compute_boundary as compute_boundary
