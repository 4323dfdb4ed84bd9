# SPDX-License-Identifier: MIT
"""Records of a robot, for the builder and from a model. Their fields are the fields of the structs in tandem/records.h, which
documents them."""
from __future__ import annotations

import dataclasses
import enum
import math
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type, TypeVar

from ._native import encoded, ffi, lib, text_or_none

Vector3 = Tuple[float, float, float]
Vector4 = Tuple[float, float, float, float]
Vector6 = Tuple[float, float, float, float, float, float]
Vector7 = Tuple[float, float, float, float, float, float, float]
Vector9 = Tuple[float, float, float, float, float, float, float, float, float]
NAN = math.nan


class JointType(enum.IntEnum):
    REVOLUTE = 0
    CONTINUOUS = 1
    PRISMATIC = 2
    FIXED = 3
    FLOATING = 4
    PLANAR = 5
    SCREW = 6
    BALL = 7
    UNIVERSAL = 8

    @property
    def kind(self) -> JointKind:
        """Common properties of all joints of this type."""
        kind = lib.td_joint_kind_of(self.value)
        return from_c(JointKind, kind)


@dataclasses.dataclass(frozen=True)
class JointKind:
    """td_joint_kind. word: the name in files. quaternion: index of the first quaternion component in the positions, None
    without a quaternion."""

    word: str
    nq: int
    nv: int
    quaternion: Optional[int]
    axis: bool
    bounded: bool
    ranged: bool
    pitched: bool
    damped: bool
    sprung: bool


class SpringType(enum.IntEnum):
    LINE = 0  #: along the line between two points
    BUSHING = 1  #: in all directions between two frames


class CurveType(enum.IntEnum):
    POLYNOMIAL = 0
    SINE = 1
    SPLINE = 2


class CurveEnds(enum.IntEnum):
    NATURAL = 0
    CLAMPED = 1
    PERIODIC = 2
    HERMITE = 3


class LoopType(enum.IntEnum):
    REVOLUTE = 0
    PRISMATIC = 1
    CYLINDRICAL = 2
    PLANAR = 3
    UNIVERSAL = 4
    SPHERICAL = 5
    FIXED = 6
    DISTANCE = 7
    MASK = 8


class Shape(enum.IntEnum):
    BOX = 0
    SPHERE = 1
    CYLINDER = 2
    CAPSULE = 3
    MESH = 4


class LoopForm(enum.IntEnum):
    """How a loop is closed."""

    OPEN = 0
    IMPLIED = 1
    LINEAR = 2
    ITERATED = 3
    CLOSED_FORM = 4
    REGISTERED = 5


class Plan(enum.IntEnum):
    AUTO = 0
    CLUSTER = 1
    REDUCED = 2


@dataclasses.dataclass(frozen=True)
class Source:
    """Position of an element in its file."""

    file: Optional[str] = None
    line: int = 0
    column: int = 0
    element: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Pose:
    """A frame relative to another: x_parent = rotation · x_child + position; rotation by rows."""

    position: Vector3 = (0.0, 0.0, 0.0)
    rotation: Vector9 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@dataclasses.dataclass(frozen=True)
class Limit:
    """Limits of a joint: rad or m and their rates, N m or N; NaN without a limit. (td_limit)"""
    lower: float = NAN
    upper: float = NAN
    effort: float = NAN
    velocity: float = NAN
    acceleration: float = NAN
    deceleration: float = NAN
    jerk: float = NAN


@dataclasses.dataclass(frozen=True)
class Geometry:
    """A visual or a collision of a link, without effect on dynamics; sizes in m, by shape. (td_geometry)"""
    shape: Shape = Shape.BOX
    name: Optional[str] = None
    collision: bool = False
    size: Vector3 = (1.0, 1.0, 1.0)
    file: Optional[str] = None
    origin: Pose = Pose()
    material: Optional[str] = None
    rgba: Vector4 = (NAN, NAN, NAN, NAN)


@dataclasses.dataclass(frozen=True)
class Link:
    """inertia: ixx, ixy, ixz, iyy, iyz, izz about the center of mass, in the inertial frame."""

    name: str
    source: Source = Source()
    has_inertial: bool = False
    mass: float = 0.0
    inertial: Pose = Pose()
    inertia: Vector6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    inertial_source: Source = Source()
    geometry: Tuple[Geometry, ...] = ()
    flexible: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Joint:
    """A joint as in its file: frames, axis, limits, passive forces, leader. (td_joint)"""
    name: str
    type: JointType
    parent: Optional[str]
    child: Optional[str]
    source: Source = Source()
    origin: Pose = Pose()
    axis: Vector3 = (1.0, 0.0, 0.0)
    axis_source: Source = Source()
    limit: Limit = Limit()
    limit_source: Source = Source()
    damping: float = 0.0
    friction: float = 0.0
    spring_stiffness: float = 0.0
    spring_reference: float = 0.0
    dynamics_source: Source = Source()
    calibration_rising: float = NAN
    calibration_falling: float = NAN
    soft_lower: float = NAN
    soft_upper: float = NAN
    k_position: float = NAN
    k_velocity: float = NAN
    mimic: Optional[str] = None
    multiplier: float = 1.0
    offset: float = 0.0
    mimic_source: Source = Source()
    independent: int = -1
    independent_source: Source = Source()
    must_depend: bool = False
    flexible: Optional[str] = None
    reference: Vector7 = (NAN, NAN, NAN, NAN, NAN, NAN, NAN)
    pitch: float = 0.0
    motor: Optional[str] = None
    command: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Loop:
    """A joint that closes a loop, between a frame on its predecessor and one on its successor. (td_loop)"""
    name: str
    predecessor: Optional[str]
    successor: Optional[str]
    type: LoopType = LoopType.REVOLUTE
    source: Source = Source()
    predecessor_origin: Pose = Pose()
    successor_origin: Pose = Pose()
    axis: Vector3 = (1.0, 0.0, 0.0)
    second_axis: Vector3 = (0.0, 1.0, 0.0)
    mask: int = 0
    distance: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    spring_stiffness: float = 0.0
    spring_reference: float = 0.0


@dataclasses.dataclass(frozen=True)
class Coupling:
    """A coupling of URDF+: the sum of the joints on the path to the successor equals ratio times the sum on the path to the
    predecessor. (td_coupling)"""
    name: str
    predecessor: Optional[str]
    successor: Optional[str]
    ratio: float
    source: Source = Source()


@dataclasses.dataclass(frozen=True)
class Curve:
    """One term f(q_leader) of a follower (td_curve); use one of its constructors."""

    leader: Optional[str]
    type: CurveType
    coefficient: Tuple[float, ...] = ()
    lower: float = -math.inf
    upper: float = math.inf
    amplitude: float = 0.0
    frequency: float = 1.0
    phase: float = 0.0
    degree: int = 3
    ends: CurveEnds = CurveEnds.NATURAL
    at: Tuple[float, ...] = ()
    value: Tuple[float, ...] = ()
    slope: Tuple[float, ...] = ()
    curvature: Tuple[float, ...] = ()
    end_slope: Tuple[float, float] = (0.0, 0.0)
    end_curvature: Tuple[float, float] = (0.0, 0.0)
    kinks: bool = False

    @classmethod
    def polynomial(cls, leader: str, coefficients: Sequence[float], lower: float = -math.inf,
                   upper: float = math.inf) -> Curve:
        """Returns a polynomial with coefficients in ascending powers, valid between lower and upper."""
        return cls(leader, CurveType.POLYNOMIAL, tuple(float(c) for c in coefficients), lower, upper)

    @classmethod
    def sine(cls, leader: str, amplitude: float, frequency: float = 1.0, phase: float = 0.0) -> Curve:
        """Returns amplitude · sin(frequency x + phase)."""
        return cls(leader, CurveType.SINE, amplitude=amplitude, frequency=frequency, phase=phase)

    @classmethod
    def spline(cls, leader: str, at: Sequence[float], value: Sequence[float], degree: int = 3,
               ends: CurveEnds = CurveEnds.NATURAL, *, slope: Sequence[float] = (), curvature: Sequence[float] = (),
               end_slope: Tuple[float, float] = (0.0, 0.0), end_curvature: Tuple[float, float] = (0.0, 0.0),
               kinks: bool = False) -> Curve:
        """Returns a spline through points; slope and curvature at the points, or only at the ends."""
        at, value, slope, curvature = (tuple(float(x) for x in given) for given in (at, value, slope, curvature))
        return cls(leader, CurveType.SPLINE, degree=degree, ends=ends, at=at, value=value, slope=slope, curvature=curvature,
                   end_slope=end_slope, end_curvature=end_curvature, kinks=kinks)


@dataclasses.dataclass(frozen=True)
class Follower:
    """A joint that follows others by curves: q = offset + Σ f(q_leader) (td_follower)."""

    joint: Optional[str]
    curve: Tuple[Curve, ...] = ()
    offset: float = 0.0
    source: Source = Source()


@dataclasses.dataclass(frozen=True)
class Spring:
    """A spring with a damper between frames on two links."""

    name: Optional[str]
    predecessor: Optional[str]
    successor: Optional[str]
    type: SpringType = SpringType.LINE
    source: Source = Source()
    predecessor_origin: Pose = Pose()
    successor_origin: Pose = Pose()
    length: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    angular_stiffness: Vector3 = (0.0, 0.0, 0.0)
    angular_damping: Vector3 = (0.0, 0.0, 0.0)
    linear_stiffness: Vector3 = (0.0, 0.0, 0.0)
    linear_damping: Vector3 = (0.0, 0.0, 0.0)


@dataclasses.dataclass(frozen=True)
class Transmission:
    """A motor of a joint, or one joint of a motor that pulls several: consecutive records with the same name and actuator are one.
    reduction, rotor inertia in kg m², and limits of the motor in N m, rad/s and W. shaft: set by robots. (td_transmission)"""
    name: str
    joint: Optional[str]
    source: Source = Source()
    type: Optional[str] = None
    actuator: Optional[str] = None
    mechanical_reduction: float = 1.0
    rotor_inertia: float = 0.0
    ratio: float = 1.0
    offset: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    effort_limit: float = NAN
    velocity_limit: float = NAN
    power_limit: float = NAN
    shaft: Optional[str] = None


@dataclasses.dataclass(frozen=True)
class Flexible:
    """Parameters of a flexible link, which becomes a chain of rigid pieces with elastic joints (td_flexible)."""

    link: str
    source: Source = Source()
    start: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = (1.0, 0.0, 0.0)
    length: float = 0.0
    across: Vector3 = (0.0, 0.0, 0.0)
    bending_stiffness: Tuple[float, float] = (NAN, NAN)
    torsional_stiffness: float = NAN
    mass_per_length: float = 0.0
    rotary_inertia: float = 0.0
    damping_ratio: float = 0.0
    segments: int = 8
    start_clamped: bool = True
    end_clamped: bool = True


@dataclasses.dataclass(frozen=True)
class JointPlace:
    """The position of a joint in the tree and its indices in the coordinates; None if it has no such index (td_joint_place)."""

    parent_link: Optional[int]
    child_link: int
    parent_joint: Optional[int]
    body: Optional[int]
    nq: int
    nv: int
    q: Optional[int]
    qd: Optional[int]
    y: Optional[int]
    yd: Optional[int]
    ny: int
    nyd: int
    leader: Optional[int]
    terms: int
    cluster: Optional[int]
    dependents: int
    dependent: bool
    multiplier: float
    offset: float


@dataclasses.dataclass(frozen=True)
class EffectiveLimit:
    """Limits of an independent joint, tightened by its followers, and the joints that set them, or None (td_effective_limit)."""

    lower: float
    upper: float
    velocity: float
    effort: float
    lower_joint: Optional[int]
    upper_joint: Optional[int]
    velocity_joint: Optional[int]
    effort_joint: Optional[int]


@dataclasses.dataclass(frozen=True)
class InertiaAudit:
    """A check of the inertial of a link for physical consistency (td_inertia_audit)."""

    moments: Vector3
    triangle_margin: float
    positive_definite: bool
    indefinite: bool
    massless: bool


@dataclasses.dataclass(frozen=True)
class PlanInfo:
    """The plans for forward dynamics (td_plan_info)."""

    plan: Plan
    batch_plan: Plan
    clusters: int
    largest_cluster: int
    cluster_cost: float
    reduced_cost: float
    batch_cluster_cost: float
    batch_reduced_cost: float


@dataclasses.dataclass(frozen=True)
class LoopPlace:
    """A loop in the model; cluster is None if nothing has to be solved (td_loop_place)."""

    form: LoopForm
    cluster: Optional[int]
    constraint: int
    constraint_count: int


@dataclasses.dataclass(frozen=True)
class LoopCluster:
    """Loops that are solved together (td_loop_cluster)."""

    loops: int
    rows: int
    rank: int
    independent: int
    smallest: float
    largest: float


@dataclasses.dataclass(frozen=True)
class IdleDirection:
    """A rod that turns about the line of its ends without effect; the entry yd of ẏ represents this motion
    (td_idle_direction)."""

    link: int
    joint: int
    yd: int
    alone: bool
    massless: bool


@dataclasses.dataclass(frozen=True)
class Actuator:
    """The joint or loop on which an entry of u acts; joint, q and qd are None for a loop, loop is None for a joint
    (td_actuator)."""

    name: str
    joint: Optional[int]
    loop: Optional[int]
    component: int
    q: Optional[int]
    qd: Optional[int]
    turns: bool
    effort_limit: float  # N m or N; infinite: no limit
    velocity_limit: float  # rad/s or m/s
    power_limit: float  # W


T = TypeVar("T")

ENUMS = {(Joint, "type"): JointType, (Loop, "type"): LoopType, (Geometry, "shape"): Shape, (PlanInfo, "plan"): Plan,
         (PlanInfo, "batch_plan"): Plan, (LoopPlace, "form"): LoopForm, (Curve, "type"): CurveType,
         (Curve, "ends"): CurveEnds, (Spring, "type"): SpringType}
NESTED = {"td_source": Source, "td_pose": Pose, "td_limit": Limit}


# arrays of numbers, and of structs, with the member that counts them
NUMBERS: Dict[str, str] = {"coefficient": "coefficients", "at": "points", "value": "points", "slope": "points",
                           "curvature": "points"}


def from_c(kind: Type[T], struct: Any) -> T:
    """Converts a struct of the library to a record, field by field."""
    values: Dict[str, Any] = {}
    record: Any = kind  # T is some dataclass
    for field in dataclasses.fields(record):
        if kind is Curve and field.name in NUMBERS:
            array = getattr(struct, field.name)
            count = getattr(struct, NUMBERS[field.name]) if array != ffi.NULL else 0
            values[field.name] = tuple(array[i] for i in range(count))
            continue
        if field.name == "curve":
            values["curve"] = tuple(from_c(Curve, lib.td_curve_at(struct, i)) for i in range(struct.curves))
            continue
        if field.name == "geometry":
            count = struct.geometry_count
            link = ffi.addressof(struct) if ffi.typeof(struct).kind == "struct" else struct
            values["geometry"] = tuple(from_c(Geometry, lib.td_geometry_at(link, i)) for i in range(count))
            continue
        values[field.name] = _value(kind, field.name, getattr(struct, field.name))
    return kind(**values)


def _value(kind: Any, name: str, value: Any) -> Any:
    if (kind, name) in ENUMS:
        return ENUMS[kind, name](value)
    if not isinstance(value, ffi.CData):
        return None if value == lib.TD_NONE else value
    c_type = ffi.typeof(value)
    if c_type.kind == "array":
        return tuple(value)
    if c_type.kind == "struct" or (c_type.kind == "pointer" and c_type.item.kind == "struct"):
        plain = c_type.item if c_type.kind == "pointer" else c_type
        return from_c(NESTED[plain.cname.replace("struct ", "")], value)
    return text_or_none(value)


def to_c(record: Any, struct: Any, kept: List[Any]) -> None:
    """Fills a struct whose size_of, if it has one, is set; kept holds the memory that it points to."""
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if isinstance(record, Curve) and field.name in NUMBERS:
            counter = NUMBERS[field.name]
            if value and getattr(struct, counter) not in (0, len(value)):
                raise ValueError(f"{field.name} has {len(value)} numbers, expected {getattr(struct, counter)}")
            if value:
                kept.append(ffi.new("double[]", list(value)))
                setattr(struct, field.name, kept[-1])
                setattr(struct, counter, len(value))
        elif field.name == "curve":
            array = ffi.new("td_curve[]", len(value))
            kept.append(array)
            for item, curve in zip(array, value):
                item.size_of = ffi.sizeof("td_curve")
                to_c(curve, item, kept)
            struct.curve, struct.curves = array if value else ffi.NULL, len(value)
        elif field.name == "geometry":
            array = ffi.new("td_geometry[]", len(value))
            kept.append(array)
            for item, shape in zip(array, value):
                item.size_of = ffi.sizeof("td_geometry")
                to_c(shape, item, kept)
            struct.geometry, struct.geometry_count = array if value else ffi.NULL, len(value)
        elif dataclasses.is_dataclass(value):
            to_c(value, getattr(struct, field.name), kept)
        elif value is None:
            setattr(struct, field.name, ffi.NULL)
        elif isinstance(value, str):
            kept.append(ffi.new("char[]", encoded(value)))
            setattr(struct, field.name, kept[-1])
        elif isinstance(value, (tuple, list)):
            target = getattr(struct, field.name)
            if len(target) != len(value):
                raise ValueError(f"{field.name} has {len(value)} numbers, expected {len(target)}")
            for i, number in enumerate(value):
                target[i] = number
        else:
            setattr(struct, field.name, value)
