// SPDX-License-Identifier: MIT
// What of a robot does not change while it moves: the JSON of wasm/describe.c, member for member,
// and the data that `tandem view` writes into the page.

export type Triple = [number, number, number];

/** A frame in another: x_parent = rotation · x + position, rotation row-major. */
export interface Pose {
    position: Triple;
    rotation: number[];
}

export interface Geometry {
    shape: "box" | "sphere" | "cylinder" | "capsule" | "mesh";
    file: string | null;
    size: Triple;
    rgba: (number | null)[];
    origin: Pose;
    collision: boolean;
}

export interface Link {
    name: string;
    line: number;
    mass: number;
    inertial: Pose;
    /** ixx, ixy, ixz, iyy, iyz, izz about the centre of mass, in the inertial frame */
    inertia: number[];
    /** principal moments, ascending */
    moments: Triple;
    /** whether no body can have this inertia */
    impossible: boolean;
    /** links joined by fixed joints share a body; -1: the world's */
    body: number;
    parentJoint: number;
    geometry: Geometry[];
}

export interface Joint {
    name: string;
    /** as in files */
    type: string;
    /** which of its positions a quaternion x, y, z, w begins with; -1: none */
    quaternion: number;
    hasAxis: boolean;
    /** whether its limits of position bind */
    bounded: boolean;
    line: number;
    origin: Pose;
    axis: Triple;
    mimic: string | null;
    /** the flexible link that it is a part of */
    flexible: string | null;
    /** stiffness of its spring (N m/rad, N/m) */
    spring: number;
    /** whether a motor acts at it */
    motor: boolean;
    /** the joint's own limits; null where it has none */
    lower: number | null;
    upper: number | null;
    /** of an independent joint, as its followers leave them, with the joints that bind (-1: none) */
    effective: {
        lower: number | null;
        upper: number | null;
        effort: number | null;
        lowerJoint: number;
        upperJoint: number;
    };
    /** q = multiplier · q_leader + offset, where terms is 1 */
    multiplier: number;
    offset: number;
    /** links; parent -1: the world's */
    parent: number;
    child: number;
    /** first entries and numbers of entries in q, q̇, y and ẏ */
    q: number;
    nq: number;
    qd: number;
    nv: number;
    y: number;
    ny: number;
    yd: number;
    nyd: number;
    leader: number;
    terms: number;
    /** of the loops that decide it, -1: none do */
    cluster: number;
    dependent: boolean;
    /** index of the follower by curves that it is, -1: none */
    follower: number;
}

/** A term f(q_leader) of a joint that follows others by curves. */
export interface Curve {
    leader: string;
    type: "polynomial" | "sine" | "spline";
    /** of a polynomial, ascending powers */
    coefficients: number[];
    /** of a sine */
    amplitude: number;
    frequency: number;
    phase: number;
    /** of a spline */
    degree: number;
    ends: string;
    points: number;
    /** of the leader: where it is good; null: no end */
    range: [number | null, number | null];
}

/** q = offset + Σ f(q_leader) */
export interface Follower {
    offset: number;
    curves: Curve[];
}

export interface Loop {
    name: string;
    type: string;
    form: string;
    line: number;
    predecessor: number;
    successor: number;
    predecessorOrigin: Pose;
    successorOrigin: Pose;
}

export interface Coupling {
    name: string;
    ratio: number;
    predecessor: number;
    successor: number;
}

/** A coordinate of the tree: the k-th of a joint, whose name in tables is the joint's and text. */
export interface Component {
    joint: number;
    component: number;
    /** in y (in ẏ); -1 where it follows others */
    entry: number;
    unit: "none" | "angle" | "length";
    text: string;
}

export interface Description {
    name: string;
    version: string;
    gravity: Triple;
    mass: number;
    /** whether the file gives limits of positions, and whether they are ignored */
    limited: boolean;
    ignoresLimits: boolean;
    root: number;
    reference: number[];
    links: Link[];
    joints: Joint[];
    loops: Loop[];
    couplings: Coupling[];
    followers: Follower[];
    /** of q and of q̇ */
    positions: Component[];
    velocities: Component[];
    ny: number;
    nyd: number;
    nq: number;
    nv: number;
}

export interface Diagnostic {
    severity: "note" | "warning" | "error";
    code: string;
    file: string;
    line: number;
    column: number;
    element: string;
    message: string;
    remedy: string;
}

export interface MeshFile {
    type: string;
    base64: string;
    /** whether that is packed */
    gzip?: boolean;
    /** that it names, by these names: base64 */
    files?: Record<string, string>;
}

export interface PageData {
    schema_version: number;
    file: string;
    /** of td_model_write */
    model: string;
    diagnostics: Diagnostic[];
    /** by the file as it is written in the URDF; same: another name of the same file */
    meshes: Record<string, MeshFile | { same: string }>;
    /** whether COLLADA and glTF meshes are turned as their up axis says */
    up_axis?: boolean;
    /** what became of meshes that are not here */
    left_out: { file: string; why: string }[];
    /** in which the robot differs from its model */
    state?: {
        gravity?: Triple;
        /** independent coordinates and their velocities that it begins with */
        y?: number[];
        yd?: number[];
        /** forces and moments in world axes, on points of links */
        wrenches?: { link: number; force: Triple; moment: Triple; point: Triple }[];
        /** inertia as of links, about com, in the link's axes */
        payloads?: { link: number; mass: number; com: Triple; inertia: number[] }[];
        /** q from which loops are closed */
        start?: number[];
    };
    /** text in UTF-8, or bytes of a file that is none */
    motion: { name: string; text?: string; base64?: string } | null;
    licences?: string;
}

/** Whether a joint has one coordinate, which is a length. */
export function slides(about: Description, joint: Joint): boolean {
    return joint.nv === 1 && !turns(about, joint);
}

/** Whether the first coordinate of a joint is an angle. */
export function turns(about: Description, joint: Joint): boolean {
    return about.positions[joint.q]?.unit === "angle";
}
