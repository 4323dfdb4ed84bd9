// SPDX-License-Identifier: MIT
// The constant description of a robot, with the members of the JSON from wasm/describe.c, and the
// data that `tandem view` writes into the page.

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
    /** ixx, ixy, ixz, iyy, iyz, izz about the center of mass, in the inertial frame */
    inertia: number[];
    /** principal moments, ascending */
    moments: Triple;
    /** whether no rigid body can have this inertia */
    impossible: boolean;
    /** index of the moving body, shared by links that fixed joints connect; -1: fixed to the world */
    body: number;
    parentJoint: number;
    geometry: Geometry[];
}

export interface Joint {
    name: string;
    /** as in the file */
    type: string;
    /** index in the joint's positions at which a quaternion x, y, z, w begins; -1: none */
    quaternion: number;
    hasAxis: boolean;
    /** whether position limits apply to this type */
    bounded: boolean;
    line: number;
    origin: Pose;
    axis: Triple;
    mimic: string | null;
    /** the flexible link that it belongs to */
    flexible: string | null;
    /** stiffness of its spring (N m/rad, N/m) */
    spring: number;
    /** whether a motor acts at it */
    motor: boolean;
    /** limits in the file; null: none */
    lower: number | null;
    upper: number | null;
    /** limits of an independent joint after the limits of its followers, and the joints that impose them (-1: none) */
    effective: {
        lower: number | null;
        upper: number | null;
        effort: number | null;
        lowerJoint: number;
        upperJoint: number;
    };
    /** q = multiplier · q_leader + offset, if terms is 1 */
    multiplier: number;
    offset: number;
    /** indices of links; parent -1: the world */
    parent: number;
    child: number;
    /** first indices and numbers of entries in q, q̇, y and ẏ */
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
    /** cluster of the loops that determine it, -1: none */
    cluster: number;
    dependent: boolean;
    /** index in followers if it follows along curves, else -1 */
    follower: number;
}

/** A term f(q_leader) of a joint that follows others along curves. */
export interface Curve {
    leader: string;
    type: "polynomial" | "sine" | "spline";
    /** of a polynomial, in ascending powers */
    coefficients: number[];
    /** of a sine */
    amplitude: number;
    frequency: number;
    phase: number;
    /** of a spline */
    degree: number;
    ends: string;
    points: number;
    /** range of the leader in which the term is valid; null: unbounded */
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

/** A tree coordinate, the k-th of its joint. Its name in tables is the joint's name followed by text. */
export interface Component {
    joint: number;
    component: number;
    /** index in y (or ẏ); -1 if dependent */
    entry: number;
    unit: "none" | "angle" | "length";
    text: string;
}

export interface Description {
    name: string;
    version: string;
    gravity: Triple;
    mass: number;
    /** whether the file has position limits, and whether they are ignored */
    limited: boolean;
    ignoresLimits: boolean;
    root: number;
    reference: number[];
    links: Link[];
    joints: Joint[];
    loops: Loop[];
    couplings: Coupling[];
    followers: Follower[];
    /** components of q and of q̇ */
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
    /** whether the data is compressed by gzip */
    gzip?: boolean;
    /** the files that it refers to, by name: base64 */
    files?: Record<string, string>;
}

export interface PageData {
    schema_version: number;
    file: string;
    /** text of td_model_write */
    model: string;
    diagnostics: Diagnostic[];
    /** by file name as in the URDF; same: another name of the same file */
    meshes: Record<string, MeshFile | { same: string }>;
    /** whether COLLADA and glTF meshes are rotated by their up axis */
    up_axis?: boolean;
    /** missing meshes, and the reasons */
    left_out: { file: string; why: string }[];
    /** changes to the model, and the initial state */
    state?: {
        gravity?: Triple;
        /** initial independent coordinates and velocities */
        y?: number[];
        yd?: number[];
        /** forces and moments on links in world axes; forces act at points in link coordinates */
        wrenches?: { link: number; force: Triple; moment: Triple; point: Triple }[];
        /** inertia in the format of links, about com, in link axes */
        payloads?: { link: number; mass: number; com: Triple; inertia: number[] }[];
        /** q from which closing the loops starts */
        start?: number[];
    };
    /** UTF-8 text, or the bytes of a binary file */
    motion: { name: string; text?: string; base64?: string } | null;
    licences?: string;
}

/** Returns true if the joint is prismatic: it has one coordinate, a length. */
export function slides(about: Description, joint: Joint): boolean {
    return joint.nv === 1 && !turns(about, joint);
}

/** Returns true if the first coordinate of the joint is an angle. */
export function turns(about: Description, joint: Joint): boolean {
    return about.positions[joint.q]?.unit === "angle";
}
