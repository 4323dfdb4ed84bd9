// SPDX-License-Identifier: MIT
// The robot's links as objects of three.js: visual or collision geometry of the file. A link without
// geometry is drawn as capsules from its joint to the next ones, with a drum at each joint.

import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { slides, type Description, type Geometry, type Joint, type Pose } from "./description.ts";
import type { Meshes, Surface } from "./meshes.ts";

export type Look = "visual" | "collision" | "both" | "capsules";

export const COLOURS = {
    base: "#55606f", links: ["#eef1f5", "#f2a65a"], mesh: "#b4b8be",
    independent: "#0e9aa7", follower: "#8a5cd6", loop: "#d8483e", fixed: "#7c8796",
    highlight: "#ff9d1c", pinned: "#2f6fdf",
};

export function matrixOf(pose: Pose): THREE.Matrix4 {
    const [x, y, z] = pose.position;
    const r = pose.rotation as [number, number, number, number, number, number, number, number, number];
    return new THREE.Matrix4().set(r[0], r[1], r[2], x, r[3], r[4], r[5], y, r[6], r[7], r[8], z, 0, 0, 0, 1);
}

/** Returns the color of an independent, dependent or fixed joint. */
export function jointColour(joint: Joint): string {
    if (joint.nv === 0) return COLOURS.fixed;
    return joint.dependent ? COLOURS.follower : COLOURS.independent;
}

export class Body {
    readonly root = new THREE.Group();
    /** one per link, in the link's frame */
    readonly links: THREE.Group[];
    look: Look = "visual";
    /** whether meshes are rotated by their up axis */
    turned = false;
    /** links drawn by collision geometry because their visual meshes are missing */
    readonly replaced: number[] = [];
    /** size of the mechanism (m), the scale of drawn elements without a size in the file */
    readonly size: number;
    private readonly shapes: THREE.Object3D[][] = [];
    private highlighted = -1;
    private pinned: number[] = [];

    constructor(private readonly about: Description, private readonly meshes: Meshes, poses: Float64Array) {
        this.size = mechanismSize(about, poses);
        this.links = about.links.map((link, i) => {
            const group = new THREE.Group();
            group.name = link.name;
            group.matrixAutoUpdate = false;
            group.userData.link = i;
            this.root.add(group);
            return group;
        });
        this.setLook("visual");
        this.place(poses);
    }

    /** Moves the links to poses: links × 12, row-major 3 × 4 matrices. */
    place(poses: Float64Array): void {
        for (let i = 0; i < this.links.length; i++) {
            const m = this.links[i]!.matrix.elements;
            const k = 12 * i;
            for (let r = 0; r < 3; r++) {
                m[r] = poses[k + 4 * r]!;
                m[r + 4] = poses[k + 4 * r + 1]!;
                m[r + 8] = poses[k + 4 * r + 2]!;
                m[r + 12] = poses[k + 4 * r + 3]!;
            }
            this.links[i]!.matrixWorldNeedsUpdate = true;
        }
    }

    setLook(look: Look): void {
        this.look = look;
        this.replaced.length = 0;
        const drawn = this.about.links.flatMap((_, i) => this.geometryOf(i, look)), meshes = drawn.some((g) => g.shape === "mesh");
        this.about.links.forEach((link, i) => {
            this.links[i]!.remove(...(this.shapes[i] ?? []));
            const made = this.geometryOf(i, look).map((g) => this.makeGeometry(g, i));
            // capsules replace missing shapes; where no mesh is drawn, also links with mass but without shapes get them
            const missing = link.geometry.some((g) => look === "both" || g.collision === (look === "collision"));
            const alone = !meshes && link.mass > 0 && !(look === "visual" && this.usable(i, true).length > 0);
            if (made.length === 0 && (drawn.length === 0 || missing || alone)) made.push(...this.makeCapsules(i));
            for (const object of made)
                object.traverse((part) => {
                    part.userData.link = i;
                    part.castShadow = part.receiveShadow = part instanceof THREE.Mesh;
                });
            this.shapes[i] = made;
            if (made.length > 0) this.links[i]!.add(...made);
        });
        this.highlight(this.highlighted);
    }

    isHidden(link: number): boolean { return !this.links[link]!.visible; }

    /** Hides links and everything attached to them. */
    hide(links: (link: number) => boolean): void {
        this.links.forEach((group, i) => { group.visible = !links(i); });
    }

    /** Highlights a link; -1: none. */
    highlight(link: number): void {
        this.highlighted = link;
        this.shine();
    }

    /** Sets the pinned links (≠ 0) and colors them. */
    mark(pinned: ArrayLike<number>): void {
        this.pinned = Array.from(pinned);
        this.shine();
    }

    private shine(): void {
        this.shapes.forEach((shapes, i) => {
            const colour = i === this.highlighted ? COLOURS.highlight : this.pinned[i] ? COLOURS.pinned : "#000000";
            for (const shape of shapes)
                shape.traverse((part) => {
                    if (!(part instanceof THREE.Mesh)) return;
                    for (const material of (Array.isArray(part.material) ? part.material : [part.material]) as THREE.MeshStandardMaterial[]) {
                        material.emissive.set(colour);
                        material.emissiveIntensity = 0.55;
                    }
                });
        });
    }

    /** Returns the bounding box of a link, or of all links. */
    bounds(link = -1): THREE.Box3 {
        this.root.updateMatrixWorld(true);
        const box = new THREE.Box3();
        for (const object of link < 0 ? this.links : [this.links[link]!])
            for (const child of object.children) if (this.shapes[object.userData.link]!.includes(child)) box.expandByObject(child);
        return box;
    }

    /** Returns the visual or collision geometry of a link, without missing meshes. */
    private usable(link: number, collision: boolean): Geometry[] {
        return this.about.links[link]!.geometry.filter((g) => g.collision === collision && (g.shape !== "mesh" || this.meshes.has(g.file)));
    }

    /** Returns the geometry to draw. Collision geometry replaces missing visuals, and all visuals if the robot has none. */
    private geometryOf(link: number, look: Look): Geometry[] {
        if (look === "capsules") return [];
        const visual = this.usable(link, false), collision = this.usable(link, true);
        if (look === "collision") return collision;
        const has = (i: number) => this.about.links[i]!.geometry.some((g) => !g.collision);
        const replaces = visual.length === 0 && (has(link) || !this.about.links.some((_, i) => has(i)));
        if (replaces && has(link) && collision.length > 0 && !this.replaced.includes(link)) this.replaced.push(link);
        if (look === "both") return [...visual, ...collision];
        return replaces ? collision : visual;
    }

    private makeGeometry(g: Geometry, link: number): THREE.Object3D {
        const material = (surface: Surface) => this.material(g, link, surface);
        const frame = new THREE.Group();
        frame.matrixAutoUpdate = false;
        frame.matrix.copy(matrixOf(g.origin));
        if (g.shape === "mesh") {
            const scaled = new THREE.Group();
            scaled.scale.set(...g.size);
            scaled.add(this.meshes.use(g.file ?? "", this.turned, material));
            frame.add(scaled);
        } else frame.add(new THREE.Mesh(simpleShape(g), material(null)));
        return frame;
    }

    /** Returns the color of a link: dark if fixed to the world, else alternating from the base to the tips. */
    private colourOf(link: number): string {
        const { links, joints } = this.about;
        if (links[link]!.body < 0) return COLOURS.base;
        let depth = 0;
        for (let j = links[link]!.parentJoint; j >= 0; j = links[joints[j]!.parent]?.parentJoint ?? -1) {
            // joints with coincident origins, such as in a wrist, count as one step
            const [x, y, z] = joints[j]!.origin.position;
            if (joints[j]!.nv > 0 && Math.hypot(x, y, z) > 0.01 * this.size) depth++;
        }
        return COLOURS.links[depth % 2]!;
    }

    /** Returns the material: of the mesh file, else of the URDF, else a default, which is the same for all meshes. */
    private material(g: Geometry, link: number, surface: Surface): THREE.MeshStandardMaterial {
        const [r, gr, b, a] = g.rgba, mesh = g.shape === "mesh";
        const given = typeof r === "number" && typeof gr === "number" && typeof b === "number";
        if (given && surface?.userData.yields) surface = null;
        const material = surface?.clone() ?? plain(mesh ? COLOURS.mesh : this.colourOf(link));
        if (mesh) material.side = THREE.DoubleSide;
        if (!surface && given)
            material.color.setRGB(r, gr, b, THREE.SRGBColorSpace);
        const opacity = this.look === "both" && g.collision ? 0.35 : !surface && typeof a === "number" ? Math.max(a, 0.15) : 1;
        if (opacity < 1) {
            material.transparent = true;
            material.opacity = opacity;
        }
        return material;
    }

    // ---- links without geometry ----

    private makeCapsules(index: number): THREE.Object3D[] {
        const { about } = this;
        const link = about.links[index]!;
        const root = index === about.root;
        const colour = this.colourOf(index);
        const ends = this.anchors(index);
        const joint = about.joints[link.parentJoint];
        const thick = joint && slides(about, joint) ? 0.7 : 1; // prismatic joint: drawn as a rod in a cylinder
        const far = ends.filter((p) => p.length() > 0.004 * this.size);
        const made: THREE.Object3D[] = [];
        const plate = far.length >= 3 ? this.makePlate(ends, colour) : null;
        if (plate) made.push(plate);
        else for (const end of far) made.push(this.makeCapsule(new THREE.Vector3(), end, colour, thick));
        const com = new THREE.Vector3(...link.inertial.position);
        if (far.length === 0 && link.mass > 0 && com.length() > 0.01 * this.size)
            made.push(this.makeCapsule(new THREE.Vector3(), com.multiplyScalar(2), colour, thick));
        if (joint && joint.nv > 0 && joint.quaternion !== 3) made.push(this.makeDrum(joint, far));
        if (made.length === 0 && (link.mass > 0 || root)) {
            const radius = this.size * (root ? 0.02 : 0.016);
            made.push(new THREE.Mesh(new THREE.SphereGeometry(radius, 24, 16), plain(colour)));
        }
        return made;
    }

    /** Returns the points where other links are attached to a link, in its frame. */
    private anchors(index: number): THREE.Vector3[] {
        const points: THREE.Vector3[] = [];
        const add = (pose: Pose) => {
            const point = new THREE.Vector3(...pose.position);
            if (!points.some((other) => other.distanceTo(point) < 0.004 * this.size)) points.push(point);
        };
        for (const joint of this.about.joints) if (joint.parent === index) add(joint.origin);
        for (const loop of this.about.loops) {
            if (loop.predecessor === index) add(loop.predecessorOrigin);
            if (loop.successor === index) add(loop.successorOrigin);
        }
        return points;
    }

    private makeCapsule(from: THREE.Vector3, to: THREE.Vector3, colour: string, thick: number): THREE.Mesh {
        const along = to.clone().sub(from);
        const length = along.length();
        const radius = thick * THREE.MathUtils.clamp(0.1 * length, 0.007 * this.size, 0.02 * this.size);
        const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(radius, length, 8, 20), plain(colour));
        mesh.position.copy(from).addScaledVector(along, 0.5);
        mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.divideScalar(length));
        return mesh;
    }

    /** Makes the hull of a link's attachment points, for three or more of them. */
    private makePlate(points: THREE.Vector3[], colour: string): THREE.Mesh | null {
        const centre = points.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(points.length);
        const thick = 0.012 * this.size;
        const corners: THREE.Vector3[] = [];
        for (const point of points)
            for (let k = 0; k < 12; k++) {
                const side = new THREE.Vector3().setFromSphericalCoords(thick, k % 2 ? 0.9 : Math.PI - 0.9, (k * Math.PI) / 6);
                corners.push(point.clone().add(side.applyAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2)));
            }
        if (points.every((p) => p.distanceTo(centre) < 3 * thick)) return null;
        const material = plain(colour);
        material.flatShading = true;
        return new THREE.Mesh(new ConvexGeometry(corners), material);
    }

    /** Makes the drum of a joint. Its size depends on the lengths of the adjacent links. */
    private makeDrum(joint: Joint, ends: THREE.Vector3[]): THREE.Mesh {
        const before = Math.hypot(...joint.origin.position);
        const lengths = [before, ...ends.map((p) => p.length())].filter((l) => l > 0.01 * this.size);
        const radius = THREE.MathUtils.clamp(0.16 * Math.min(...lengths, this.size), 0.007 * this.size, 0.019 * this.size);
        const geometry =
            slides(this.about, joint)
                ? new THREE.BoxGeometry(1.7 * radius, 2.6 * radius, 1.7 * radius)
                : joint.hasAxis
                  ? new THREE.CylinderGeometry(radius, radius, 2.4 * radius, 28)
                  : new THREE.SphereGeometry(1.3 * radius, 28, 18);
        const drum = new THREE.Mesh(geometry, plain(jointColour(joint)));
        drum.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...joint.axis).normalize());
        return drum;
    }
}

function plain(colour: string): THREE.MeshStandardMaterial {
    return new THREE.MeshStandardMaterial({ color: colour, roughness: 0.5, metalness: 0.05 });
}

function simpleShape(g: Geometry): THREE.BufferGeometry {
    const [x, y, z] = g.size;
    if (g.shape === "box") return new THREE.BoxGeometry(x, y, z);
    if (g.shape === "sphere") return new THREE.SphereGeometry(x, 40, 28);
    // the axis is y in three.js, and z in URDF
    const round = g.shape === "cylinder" ? new THREE.CylinderGeometry(x, x, y, 40) : new THREE.CapsuleGeometry(x, y, 12, 32);
    return round.rotateX(Math.PI / 2);
}

/** Returns the diagonal of the bounding box of all frames and centers of mass; 1 m if it is zero. */
function mechanismSize(about: Description, poses: Float64Array): number {
    const box = new THREE.Box3();
    about.links.forEach((link, i) => {
        const [x, y, z] = link.inertial.position;
        for (const p of [[0, 0, 0], link.mass > 0 ? [x, y, z] : [0, 0, 0]] as [number, number, number][]) {
            const at = (r: number) => poses[12 * i + 4 * r]! * p[0] + poses[12 * i + 4 * r + 1]! * p[1]
                + poses[12 * i + 4 * r + 2]! * p[2] + poses[12 * i + 4 * r + 3]!;
            box.expandByPoint(new THREE.Vector3(at(0), at(1), at(2)));
        }
    });
    const size = box.getSize(new THREE.Vector3()).length();
    return size > 1e-6 ? size : 1;
}
