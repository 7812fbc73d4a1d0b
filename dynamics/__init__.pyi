"""Names that the package offers, and where they live."""

from .cones.cone import (
    Frame as Frame,
)
from .cones.cone import (
    compute_frame as compute_frame,
)
from .cones.cone import (
    compute_reaction as compute_reaction,
)
from .cones.cone import (
    compute_rows as compute_rows,
)
from .cones.cone import (
    find_dipping as find_dipping,
)
from .cones.contact_set import ContactSet as ContactSet
from .cones.contact_set import place_contacts as place_contacts
from .cones.insertion import InsertionPlan as InsertionPlan
from .cones.insertion import Stage as Stage
from .cones.insertion import plan_insertion as plan_insertion
from .cones.modes import enumerate_modes as enumerate_modes
from .cones.modes import find_modes as find_modes
from .cones.peg import (
    insertion_cone as insertion_cone,
)
from .cones.peg import (
    place_tilted_peg as place_tilted_peg,
)
from .cones.peg import (
    place_upright_peg as place_upright_peg,
)
from .cones.polyhedral import (
    Cone as Cone,
)
from .cones.polyhedral import (
    ConeError as ConeError,
)
from .cones.polyhedral import (
    cone_from_faces as cone_from_faces,
)
from .cones.polyhedral import (
    cone_from_span as cone_from_span,
)
from .cones.statics import (
    check_force_closure as check_force_closure,
)
from .cones.statics import (
    check_form_closure as check_form_closure,
)
from .cones.statics import (
    check_wedging as check_wedging,
)
from .cones.statics import (
    compute_grip as compute_grip,
)
from .cones.statics import (
    equilibrium_cone as equilibrium_cone,
)
from .cones.wrench import (
    Region as Region,
)
from .cones.wrench import (
    exclusive_cones as exclusive_cones,
)
from .cones.wrench import (
    force_cone as force_cone,
)
from .cones.wrench import (
    wrench_cone as wrench_cone,
)
from .cones.wrench import (
    wrench_cones as wrench_cones,
)
from .sets.acceleration_set import AccelerationSet as AccelerationSet
from .sets.acceleration_set import find_accelerations as find_accelerations
from .sets.certificate import Residuals as Residuals
from .sets.certificate import compute_residuals as compute_residuals
from .sets.contact_problem import ContactProblem as ContactProblem
from .sets.pieces import Piece as Piece
from .spaces.projection import (
    ContactMotion as ContactMotion,
)
from .spaces.projection import (
    ContactSpaces as ContactSpaces,
)
from .spaces.projection import (
    build_contact_spaces as build_contact_spaces,
)
from .spaces.projection import (
    decouple_commands as decouple_commands,
)
from .spaces.projection import (
    solve_contact as solve_contact,
)
from .spaces.projection import (
    spaces_of_contacts as spaces_of_contacts,
)
from .spaces.transform import (
    Transform as Transform,
)
from .spaces.transform import (
    planar_transform as planar_transform,
)
from .spaces.transform import (
    spatial_transform as spatial_transform,
)
from .tolerances import Tolerances as Tolerances
