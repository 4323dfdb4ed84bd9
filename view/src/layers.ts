// SPDX-License-Identifier: MIT
// Optional layers over the robot: joint axes, frames, centers of mass, inertia ellipsoids, edges of
// mimic joints and loops, and arrows for torques, wrenches and reactions.

import * as THREE from "three";
import { Body, COLOURS, jointColour, matrixOf } from "./body.ts";
import type { Robot } from "./core.ts";
import { turns, type Link } from "./description.ts";
import { symmetricAxes } from "./eigen.ts";

/** The layers with their legends: shape, color and meaning of each mark. */
export const LAYERS = [
    ["axes", "Joint axes", [["arrow", COLOURS.independent, "axis of an independent joint"], ["arrow", COLOURS.follower, "axis of a follower"]]],
    ["frames", "Link frames", [["arrow", "#e5484d", "x"], ["arrow", "#30a46c", "y"], ["arrow", "#3e63dd", "z"]]],
    ["com", "Centers of mass", [["ball", "#f2b01e", "of a link; larger means heavier"], ["diamond", "#e54666", "of the robot"]]],
    ["inertia", "Inertia ellipsoids", [["ball", "#3e8fdd", "ellipsoid with a link's mass and inertia"], ["ball", "#e5262e", "inertia that no body can have"]]],
    ["edges", "Mimic and loop edges", [["line", COLOURS.follower, "from a leader to its follower"], ["ring", COLOURS.loop, "joint that closes a loop, and its links"]]],
    ["torques", "Holding torques", [["arc", "#1877f2", "a whole arc is the largest torque so far"]]],
    ["reactions", "Forces in joints", [["arrow", "#d9480f", "on the child link; longer means larger"]]],
    ["wrenches", "Forces on links", [["arrow", "#c2185b", "force at its point"], ["arc", "#c2185b", "moment about its axis"]]],
] as const;

export type LayerName = (typeof LAYERS)[number][0];

interface Layer {
    objects: THREE.Object3D[];
    /** updates everything that depends on the state */
    update?: () => void;
}

const Y = new THREE.Vector3(0, 1, 0);

export class Layers {
    private readonly made = new Map<LayerName, Layer>();
    private readonly shown = new Set<LayerName>();
    private greatestTorque = 1e-9;

    constructor(private readonly robot: Robot, private readonly body: Body, private readonly scene: THREE.Scene) {}

    isShown(name: LayerName): boolean { return this.shown.has(name); }

    show(name: LayerName, on: boolean): void {
        let layer = this.made.get(name);
        if (!layer && on) {
            layer = this.make(name);
            this.made.set(name, layer);
        }
        for (const object of layer?.objects ?? []) object.visible = on;
        if (on) this.shown.add(name);
        else this.shown.delete(name);
        this.update();
    }

    update(): void {
        if (this.shown.has("reactions")) this.robot.reactions();
        for (const name of this.shown) this.made.get(name)!.update?.();
    }

    private make(name: LayerName): Layer {
        switch (name) {
            case "axes": return this.makeAxes();
            case "frames": return this.makeFrames();
            case "com": return this.makeCentres();
            case "inertia": return this.makeEllipsoids();
            case "edges": return this.makeEdges();
            case "torques": return this.makeTorques();
            case "reactions": return this.makeReactions();
            case "wrenches": return this.makeWrenches();
        }
    }

    private get size(): number { return this.body.size; }

    private makeAxes(): Layer {
        const objects: THREE.Object3D[] = [];
        for (const joint of this.robot.about.joints) {
            if (joint.nv !== 1) continue;
            const axis = new THREE.Vector3(...joint.axis);
            const arrow = new Arrow(0.0035 * this.size, jointColour(joint));
            arrow.set(axis.clone().multiplyScalar(-0.07 * this.size), axis.multiplyScalar(0.16 * this.size));
            this.body.links[joint.child]!.add(arrow.group);
            objects.push(arrow.group);
        }
        return { objects };
    }

    private makeFrames(): Layer {
        const objects = this.body.links.map((link) => {
            const frame = new THREE.Group();
            ["#e5484d", "#30a46c", "#3e63dd"].forEach((colour, k) => {
                const arrow = new Arrow(0.0022 * this.size, colour);
                arrow.set(new THREE.Vector3(), new THREE.Vector3().setComponent(k, 0.06 * this.size));
                frame.add(arrow.group);
            });
            link.add(frame);
            return frame;
        });
        return { objects };
    }

    /** Makes the centers of mass of each link, scaled by mass, and of the whole robot. */
    private makeCentres(): Layer {
        const { about } = this.robot;
        const heaviest = Math.max(...about.links.map((l) => l.mass), 1e-9);
        const objects: THREE.Object3D[] = [];
        about.links.forEach((link, i) => {
            if (link.mass <= 0) return;
            const radius = this.size * (0.005 + 0.009 * Math.cbrt(link.mass / heaviest));
            const ball = new THREE.Mesh(new THREE.SphereGeometry(radius, 20, 14), overlay("#f2b01e", 0.95));
            ball.position.set(...link.inertial.position);
            this.body.links[i]!.add(ball);
            objects.push(ball);
        });
        const all = new THREE.Mesh(new THREE.OctahedronGeometry(0.022 * this.size), overlay("#e54666", 0.95));
        this.scene.add(all);
        objects.push(all);
        return {
            objects,
            update: () => {
                const [x, y, z] = this.robot.array("com");
                if (Number.isFinite(x)) all.position.set(x!, y!, z!);
            },
        };
    }

    private makeEllipsoids(): Layer {
        const objects: THREE.Object3D[] = [];
        this.robot.about.links.forEach((link, i) => {
            if (link.mass <= 0 || link.moments[2] <= 0) return;
            const ellipsoid = new THREE.Mesh(
                new THREE.SphereGeometry(1, 28, 20),
                link.impossible ? overlay("#e5262e", 0.6) : overlay("#3e8fdd", 0.34),
            );
            ellipsoid.matrixAutoUpdate = false;
            ellipsoid.matrix.copy(matrixOf(link.inertial)).multiply(ellipsoidOf(link, 0.004 * this.size));
            this.body.links[i]!.add(ellipsoid);
            objects.push(ellipsoid);
        });
        return { objects };
    }

    /** Makes edges from leaders to followers, and across loop joints. */
    private makeEdges(): Layer {
        const { about } = this.robot;
        const edges: Edge[] = [];
        const origin = new THREE.Matrix4();
        for (const joint of about.joints) {
            const names = [joint.mimic, ...(about.followers[joint.follower]?.curves.map((c) => c.leader) ?? [])];
            for (const leader of about.joints.filter((j) => names.includes(j.name)))
                edges.push(this.edge(COLOURS.follower, leader.child, origin, joint.child, origin, 0.14));
        }
        for (const loop of about.loops) {
            if (loop.predecessor < 0 || loop.successor < 0) continue;
            const at = matrixOf(loop.predecessorOrigin);
            const ring = new THREE.Mesh(new THREE.TorusGeometry(0.026 * this.size, 0.0045 * this.size, 10, 32),
                overlay(COLOURS.loop, 1));
            ring.applyMatrix4(at);
            this.body.links[loop.predecessor]!.add(ring);
            const edge = this.edge(COLOURS.loop, loop.predecessor, at, loop.successor, matrixOf(loop.successorOrigin), 0);
            edge.objects.push(ring);
            edges.push(edge, this.edge(COLOURS.loop, loop.predecessor, origin, loop.predecessor, at, 0));
            edges.push(this.edge(COLOURS.loop, loop.successor, origin, loop.predecessor, at, 0));
        }
        for (const coupling of about.couplings)
            edges.push(this.edge(COLOURS.follower, coupling.predecessor, origin, coupling.successor, origin, 0.14));
        return { objects: edges.flatMap((e) => e.objects), update: () => edges.forEach((e) => e.update()) };
    }

    private edge(colour: string, a: number, inA: THREE.Matrix4, b: number, inB: THREE.Matrix4, bow: number): Edge {
        const links = this.body.links;
        const geometry = new THREE.BufferGeometry();
        const points = new Float32Array(3 * 25);
        geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
        const line = new THREE.Line(geometry, new THREE.LineDashedMaterial({
            color: colour, dashSize: 0.018 * this.size, gapSize: 0.01 * this.size, depthTest: false,
        }));
        line.renderOrder = 5;
        line.frustumCulled = false;
        this.scene.add(line);
        const from = new THREE.Vector3(), to = new THREE.Vector3(), middle = new THREE.Vector3();
        const update = () => {
            from.setFromMatrixPosition(inA).applyMatrix4(links[a]!.matrix);
            to.setFromMatrixPosition(inB).applyMatrix4(links[b]!.matrix);
            middle.lerpVectors(from, to, 0.5);
            middle.z += bow * this.size;
            const curve = new THREE.QuadraticBezierCurve3(from, middle, to);
            curve.getPoints(24).forEach((p, k) => p.toArray(points, 3 * k));
            geometry.getAttribute("position").needsUpdate = true;
            line.computeLineDistances();
        };
        return { objects: [line], update };
    }

    /** Makes arcs and arrows for the torques and forces that hold the robot, at the independent joints. */
    private makeTorques(): Layer {
        const objects: THREE.Object3D[] = [];
        const updates: (() => void)[] = [];
        for (const joint of this.robot.about.joints) {
            if (joint.nv !== 1 || joint.dependent) continue;
            const mark = turns(this.robot.about, joint) ? new ArcArrow(0.07 * this.size, "#1877f2") : new Arrow(0.006 * this.size, "#1877f2");
            const frame = new THREE.Group();
            const axis = new THREE.Vector3(...joint.axis).normalize();
            frame.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
            frame.add(mark.group);
            this.body.links[joint.child]!.add(frame);
            objects.push(frame);
            updates.push(() => {
                const tau = this.robot.array("tau")[joint.yd] ?? 0;
                const part = tau / this.greatestTorque;
                if (mark instanceof ArcArrow) mark.set(part);
                else mark.set(new THREE.Vector3(), new THREE.Vector3(0, 0, 0.22 * this.size * part));
            });
        }
        return {
            objects,
            update: () => {
                for (const tau of this.robot.array("tau")) this.greatestTorque = Math.max(this.greatestTorque, Math.abs(tau));
                updates.forEach((f) => f());
            },
        };
    }

    /** Returns the length of an arrow for a force (N), relative to the robot's weight and bounded. */
    private lengthOf(force: number): number {
        const part = force / Math.max(this.robot.about.mass * Math.hypot(...this.robot.array("gravity")), 1e-9);
        return this.size * 0.42 * (part / (0.35 + part));
    }

    /** Makes arrows for external forces at their points, and arcs for moments. */
    private makeWrenches(): Layer {
        const root = new THREE.Group(), marks: { arrow: Arrow; arc: ArcArrow }[] = [];
        this.scene.add(root);
        const along = new THREE.Vector3(), at = new THREE.Vector3(), Z = new THREE.Vector3(0, 0, 1);
        const update = () => {
            const all = this.robot.array("wrenches");
            for (let n = 0; 10 * n < all.length; n++) {
                const [link, fx, fy, fz, mx, my, mz, x, y, z] = all.subarray(10 * n, 10 * n + 10);
                if (link === 0 && !marks[n]) continue;
                const mark = (marks[n] ??= { arrow: new Arrow(0.006 * this.size, "#c2185b"), arc: new ArcArrow(0.055 * this.size, "#c2185b") });
                root.add(mark.arrow.group, mark.arc.group);
                mark.arrow.group.visible = link !== 0;
                mark.arc.group.visible = false;
                if (link === 0) continue;
                at.set(x!, y!, z!).applyMatrix4(this.body.links[link! - 1]!.matrix);
                along.set(fx!, fy!, fz!);
                along.setLength(this.lengthOf(along.length()));
                mark.arrow.set(at, along);
                along.set(mx!, my!, mz!);
                const moment = along.length();
                if (moment === 0) continue;
                mark.arc.set(this.lengthOf(moment / this.size) / (0.42 * this.size));
                mark.arc.group.position.copy(at);
                mark.arc.group.quaternion.setFromUnitVectors(Z, along.divideScalar(moment));
            }
        };
        return { objects: [root], update };
    }

    /** Makes arrows for joint reactions at rest: forces on the child links, scaled by the robot's weight. */
    private makeReactions(): Layer {
        const { about } = this.robot;
        const arrows = about.joints.map((joint) => {
            const arrow = new Arrow(0.005 * this.size, "#d9480f");
            this.scene.add(arrow.group);
            return { joint, arrow };
        });
        const from = new THREE.Vector3(), along = new THREE.Vector3();
        const update = () => {
            const wrench = this.robot.array("reactions");
            arrows.forEach(({ joint, arrow }, j) => {
                along.set(wrench[6 * j + 3]!, wrench[6 * j + 4]!, wrench[6 * j + 5]!);
                along.setLength(this.lengthOf(along.length()));
                arrow.set(from.setFromMatrixPosition(this.body.links[joint.child]!.matrix), along);
            });
        };
        return { objects: arrows.map((a) => a.arrow.group), update };
    }
}

interface Edge {
    objects: THREE.Object3D[];
    update: () => void;
}

/** Makes a material that is drawn over opaque objects, so that it is visible inside links. */
function overlay(colour: string, opacity: number): THREE.MeshStandardMaterial {
    return new THREE.MeshStandardMaterial({ color: colour, transparent: true, opacity, depthTest: opacity < 0.9 ? true : false,
        depthWrite: false, roughness: 0.5, emissive: colour, emissiveIntensity: 0.25 });
}

/** A straight arrow. */
class Arrow {
    readonly group = new THREE.Group();
    private readonly shaft: THREE.Mesh;
    private readonly head: THREE.Mesh;

    constructor(private readonly radius: number, colour: string) {
        const material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
        this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 12), material);
        this.head = new THREE.Mesh(new THREE.ConeGeometry(2.4 * radius, 6 * radius, 16), material);
        this.shaft.renderOrder = this.head.renderOrder = 6;
        this.group.add(this.shaft, this.head);
    }

    set(from: THREE.Vector3, along: THREE.Vector3): void {
        const length = along.length();
        const shaft = Math.max(length - 6 * this.radius, 0);
        this.shaft.visible = this.head.visible = Number.isFinite(length) && length > this.radius;
        if (!this.head.visible) return;
        this.group.position.copy(from);
        this.group.quaternion.setFromUnitVectors(Y, along.clone().divideScalar(length));
        this.shaft.scale.y = Math.max(shaft, 1e-6);
        this.shaft.position.y = shaft / 2;
        this.head.position.y = shaft + 3 * this.radius;
    }
}

/** A circular arrow about z, whose angle is proportional to its value. */
class ArcArrow {
    readonly group = new THREE.Group();
    private readonly tube: THREE.Mesh;
    private readonly head: THREE.Mesh;
    private static readonly SEGMENTS = 60;
    private static readonly SIDES = 8;
    private static readonly TURN = 1.6 * Math.PI;

    constructor(private readonly radius: number, colour: string) {
        const material = new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
        const curve = new ArcCurve(radius, ArcArrow.TURN);
        this.tube = new THREE.Mesh(new THREE.TubeGeometry(curve, ArcArrow.SEGMENTS, 0.07 * radius, ArcArrow.SIDES), material);
        this.head = new THREE.Mesh(new THREE.ConeGeometry(0.19 * radius, 0.42 * radius, 16), material);
        this.tube.renderOrder = this.head.renderOrder = 6;
        this.group.add(this.tube, this.head);
    }

    /** part from -1 to 1; the sign is the direction of rotation */
    set(part: number): void {
        const segments = Math.round(Math.min(1, Math.abs(part)) * ArcArrow.SEGMENTS);
        this.group.visible = segments > 0;
        this.group.scale.y = part < 0 ? -1 : 1;
        this.tube.geometry.setDrawRange(0, segments * ArcArrow.SIDES * 6);
        const angle = (segments / ArcArrow.SEGMENTS) * ArcArrow.TURN;
        this.head.position.set(this.radius * Math.cos(angle), this.radius * Math.sin(angle), 0);
        this.head.rotation.z = angle;
    }
}

class ArcCurve extends THREE.Curve<THREE.Vector3> {
    constructor(private readonly radius: number, private readonly turn: number) { super(); }
    override getPoint(t: number, target = new THREE.Vector3()): THREE.Vector3 {
        return target.set(this.radius * Math.cos(t * this.turn), this.radius * Math.sin(t * this.turn), 0);
    }
}

/** Returns the solid ellipsoid with the link's mass and moments: semi-axes a with I₁ = m (a₂² + a₃²) / 5. For an
    impossible inertia, uses the absolute values of negative squares. */
function ellipsoidOf(link: Link, least: number): THREE.Matrix4 {
    const { values, axes } = symmetricAxes(link.inertia);
    const [a, b, c] = values;
    const semi = [b + c - a, c + a - b, a + b - c].map((s) => Math.max(least, Math.sqrt((2.5 * Math.abs(s)) / link.mass)));
    const basis = new THREE.Matrix4().makeBasis(...(axes.map((v) => new THREE.Vector3(...v)) as
        [THREE.Vector3, THREE.Vector3, THREE.Vector3]));
    return basis.scale(new THREE.Vector3(semi[0], semi[1], semi[2]));
}
