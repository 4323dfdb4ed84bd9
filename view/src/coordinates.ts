// SPDX-License-Identifier: MIT
// The panel of coordinates. Each independent coordinate has a slider with its limits, the joints that
// impose them, and the torque that holds it against gravity. Followers show their relation and G. A
// table repeats everything for screen readers.

import type { Robot } from "./core.ts";
import type { Component, Joint, Triple } from "./description.ts";
import { brief, byId, element, steady } from "./dom.ts";
import { groupsOf } from "./groups.ts";
import { rangesOf, relationOf } from "./relation.ts";

const DEGREE = Math.PI / 180;
const MANY = 9, MOST_OPEN = 40; // rows: from MANY on they are grouped; up to MOST_OPEN the groups are open

/** The unit of a displayed coordinate: displayed value = factor · value in tandem. */
interface Unit {
    text: string;
    factor: number;
    places: number;
}

/** A row of the panel. */
interface Boxed {
    joint: Joint;
    box: HTMLElement;
    /** the group that contains it */
    group?: HTMLDetailsElement;
}

/** A row with a slider. */
interface Row extends Boxed {
    /** reads and writes the number in y (an orientation changes four entries) */
    get(): number;
    set(target: Float64Array, value: number): void;
    slider: HTMLInputElement;
    number: HTMLInputElement;
    torque: HTMLElement;
    unit(): Unit;
    yd: number;
    /** the force that holds the robot, along the displayed coordinate */
    force(): number;
    /** range of the slider, in tandem's units */
    range(): [lower: number, upper: number];
}

export class Coordinates {
    degrees = true;
    /** the user has moved the robot to y */
    onMove: () => void = () => undefined;
    private readonly rows: Row[] = [];
    private readonly followers: (Boxed & { component: number; value: HTMLElement; slope: HTMLElement })[] = [];
    private readonly spoken: HTMLTableCellElement[][] = [];
    private readonly message = byId("message");

    constructor(private readonly robot: Robot, private readonly size: number) {
        for (const [k, part] of robot.about.positions.entries()) {
            const joint = robot.about.joints[part.joint]!;
            if (part.entry < 0) this.addFollower(part, k);
            else if (part.unit === "none") {
                const axis = part.component - joint.quaternion;
                if (axis < 3) this.addTurn(joint, axis);
            } else this.addSlider(joint, part);
        }
        this.arrange(byId("independent"), this.rows);
        this.arrange(byId("followers"), this.followers);
        byId("followers-section").hidden = this.followers.length === 0;
        byId("independent-count").textContent = String(this.rows.length);
        byId("follower-count").textContent = String(this.followers.length);
        this.makeTable();
        this.setDegrees(true);
        this.makeSearch();
        byId("copy").addEventListener("click", () => this.copy(`-q ${Array.from(this.robot.y, (x) => String(x)).join(",")}`));
        byId("copy-json").addEventListener("click", () => this.copy(this.stateText()));
    }

    /** Adds rows to a list. Many rows are grouped by limb, with a separate group for elastic joints. If there are very
        many, only the first limb is open. */
    private arrange(list: HTMLElement, rows: Boxed[]): void {
        const { joints } = this.robot.about, counts = new Map<number, number>();
        for (const { joint } of rows) counts.set(joints.indexOf(joint), (counts.get(joints.indexOf(joint)) ?? 0) + 1);
        const groups = groupsOf(this.robot.about, counts), stiff = groups.filter((g) => !g.elastic);
        const many = rows.length >= MANY && stiff.length > 1;
        for (const [k, { name, elastic, joints: own }] of groups.entries()) {
            const members = rows.filter(({ joint }) => own.has(joints.indexOf(joint)));
            if (!elastic && !many) {
                list.append(...members.map(({ box }) => box));
                continue;
            }
            const group = element("details", { class: "group", toggle: () => this.update() },
                element("summary", {}, name, element("small", {}, elastic ? ` elastic, ${members.length}` : ` ${members.length}`)));
            group.open = !elastic && (k === 0 || rows.length <= MOST_OPEN);
            group.append(...members.map(({ box }) => box));
            for (const row of members) row.group = group;
            list.append(group);
        }
    }

    /** Adds a search field for names, if there are many rows. */
    private makeSearch(): void {
        const search = byId<HTMLInputElement>("search"), all = [...this.rows, ...this.followers];
        search.hidden = all.length < MANY;
        let before = new Map<HTMLDetailsElement, boolean>();
        search.addEventListener("input", () => {
            const text = search.value.toLowerCase();
            for (const { box } of all) box.hidden = !box.querySelector(".name")!.textContent!.toLowerCase().includes(text);
            const groups = new Set(all.flatMap(({ group }) => group ?? []));
            if (before.size === 0) before = new Map([...groups].map((group) => [group, group.open]));
            for (const group of groups) {
                group.hidden = all.every((row) => row.group !== group || row.box.hidden);
                group.open = text !== "" || before.get(group)!;
            }
            if (text === "") before = new Map();
        });
    }

    /** Returns y and ẏ by names, in the format of the command's option --state. */
    private stateText(): string {
        const { about } = this.robot, y = this.robot.y, yd = this.robot.array("yd");
        const named = (parts: Component[], x: Float64Array) => Object.fromEntries(parts.filter((c) => c.entry >= 0)
            .map((c) => [about.joints[c.joint]!.name + c.text, x[c.entry]!]));
        return JSON.stringify({ q: named(about.positions, y), qd: named(about.velocities, yd) });
    }

    /** Copies a text to the clipboard, or shows it if the clipboard is not available. */
    private copy(text: string): void {
        const field = byId<HTMLInputElement>("copied");
        field.value = text;
        field.hidden = false;
        field.select();
        navigator.clipboard?.writeText(field.value).catch(() => undefined);
    }

    // ---- rows ----

    private unitOf(length: boolean): Unit {
        if (length) return { text: "mm", factor: 1000, places: 1 };
        return this.degrees ? { text: "°", factor: 1 / DEGREE, places: 1 } : { text: "rad", factor: 1, places: 3 };
    }

    private addSlider(joint: Joint, part: Component): void {
        const entry = part.entry;
        const { lower, upper } = joint.effective;
        const length = part.unit === "length";
        // range for a side without a limit
        const free = Math.max(length ? this.size : Math.PI, Math.abs(lower ?? 0), Math.abs(upper ?? 0));
        this.addRow(joint, joint.name + part.text, {
            get: () => this.robot.y[entry]!,
            set: (target, value) => { target[entry] = value; },
            unit: () => this.unitOf(length),
            joint,
            yd: joint.yd + (joint.quaternion > 0 ? 3 + part.component : part.component),
            force: () => {
                const tau = this.robot.array("tau");
                if (joint.quaternion < 0) return tau[joint.yd + part.component]!;
                const along: Triple = [0, 0, 0];
                along[part.component] = 1;
                // joint velocities ω and v are in link axes, positions in world axes
                return dot(intoLink(this.robot.y.subarray(joint.y + 3, joint.y + 7), along), tau.subarray(joint.yd + 3));
            },
            range: () => [joint.effective.lower ?? -free, joint.effective.upper ?? free],
        });
    }

    /** Adds a row for roll, pitch or yaw of a joint with a quaternion. */
    private addTurn(joint: Joint, axis: number): void {
        const first = joint.y + joint.quaternion;
        const angles = () => rpyOf(this.robot.y.subarray(first, first + 4));
        const range = axis === 1 ? Math.PI / 2 - 1e-3 : Math.PI;
        this.addRow(joint, `${joint.name}.${["roll", "pitch", "yaw"][axis]}`, {
            get: () => angles()[axis]!,
            set: (target, value) => {
                const rpy = angles();
                rpy[axis] = value;
                target.set(quaternionOf(rpy), first);
            },
            unit: () => this.unitOf(false),
            joint,
            yd: joint.yd + axis,
            force: () => dot(turnRate(angles(), axis), this.robot.array("tau").subarray(joint.yd)),
            range: () => [-range, range],
        });
    }

    private addRow(joint: Joint, name: string, made: Omit<Row, "slider" | "number" | "torque" | "box">): void {
        const slider = element("input", { type: "range", "aria-label": name, step: "any" });
        const number = element("input", { type: "number", "aria-label": `${name}, value`, step: "any" });
        const torque = element("output", { class: "torque", title: "torque that holds the joint against gravity" });
        const box = element("div", { class: "coordinate" },
            element("div", { class: "head" }, element("span", { class: "name", title: name }, name), this.holdButton(name, made.yd), torque),
            element("div", { class: "move" }, slider, number, element("span", { class: "unit" })),
            element("div", { class: "limits" }));
        const row: Row = { ...made, slider, number, torque, box };
        const move = (value: number) => {
            const target = Float64Array.from(this.robot.y);
            row.set(target, value);
            this.moveTo(target, joint);
        };
        slider.addEventListener("input", () => move(Number(slider.value) / row.unit().factor));
        number.addEventListener("change", () => {
            const typed = Number(number.value), value = typed / row.unit().factor, [lower, upper] = row.range();
            const within = Math.min(Math.max(value, lower), upper);
            if (Number.isFinite(value)) move(within);
            // reports a coordinate that was stopped by a limit; a loop reports itself
            if (within !== value && this.message.hidden) this.say(Number.isFinite(value)
                ? `${name}: ${brief(typed)} is beyond its limit ${brief(within * row.unit().factor)} ${row.unit().text}` : `${name}: not a number`);
            this.update();
        });
        this.rows.push(row);
    }

    /** Makes the button that locks a coordinate while links are dragged. */
    private holdButton(name: string, yd: number): HTMLElement {
        const button = element("button", { type: "button", class: "hold", "aria-pressed": "false", "aria-label": `hold ${name}`,
            title: "hold this coordinate while links are dragged" }, "hold");
        button.addEventListener("click", () => {
            const held = this.robot.array("held");
            held[yd] = held[yd] ? 0 : 1;
            button.setAttribute("aria-pressed", String(held[yd] !== 0));
        });
        return button;
    }

    moveTo(target: Float64Array, joint: Joint | null, what = joint?.name ?? ""): void {
        const stopped = this.robot.moveTo(target);
        this.say(stopped ? `${what}: ${stopped}` : "");
        this.onMove();
    }

    say(text: string): void {
        if (this.message.textContent !== text) this.message.textContent = text;
        this.message.hidden = text === "";
    }

    private addFollower(part: Component, k: number): void {
        const { about } = this.robot;
        const joint = about.joints[part.joint]!;
        const value = element("output", { class: "value" });
        const slope = element("span", { class: "slope" });
        const follower = about.followers[joint.follower];
        const loops = joint.cluster >= 0 && !follower;
        const relation = loops ? "closes a loop" : relationOf(about, joint);
        const box = element("div", { class: loops ? "follower loop" : "follower" },
            element("div", { class: "head" }, element("span", { class: "name", title: joint.name + part.text }, joint.name + part.text), value),
            element("div", { class: "limits" }, element("span", { title: follower ? rangesOf(follower) : "" }, relation), slope));
        this.followers.push({ component: k, value, slope, joint, box });
    }

    // ---- units and limits ----

    /** Sets the units. Also called after limits have changed. */
    setDegrees(degrees = this.degrees): void {
        this.degrees = degrees;
        for (const row of this.rows) {
            const unit = row.unit();
            const [lower, upper] = row.range();
            row.slider.min = String(lower * unit.factor);
            row.slider.max = String(upper * unit.factor);
            row.box.querySelector(".unit")!.textContent = unit.text;
            row.box.querySelector(".limits")!.replaceChildren(...this.limitTexts(row, unit));
        }
        this.update();
    }

    private limitTexts(row: Row, unit: Unit): Node[] {
        const { lower, upper, lowerJoint, upperJoint } = row.joint.effective;
        const text = (limit: number | null, by: number) => {
            const binds = this.robot.about.joints[by];
            const other = binds && binds !== row.joint;
            const made = element("span", {}, limit === null ? "no limit" : brief(limit * unit.factor));
            if (other) made.append(element("small", { title: `the limit of ${binds.name} binds` }, ` by ${binds.name}`));
            return made;
        };
        if (row.joint.nq !== 1) return [];
        return lower === null && upper === null ? [element("span", {}, "no limits")] : [text(lower, lowerJoint), text(upper, upperJoint)];
    }

    // ---- what changes ----

    /** Updates all numbers from the robot. */
    update(): void {
        for (const row of this.rows) {
            if (row.group && !row.group.open) continue;
            const unit = row.unit();
            const value = row.get() * unit.factor;
            row.slider.value = String(value);
            row.slider.setAttribute("aria-valuetext", `${steady(value, unit.places)} ${unit.text}`);
            if (document.activeElement !== row.number) row.number.value = steady(value, unit.places).replace("−", "-");
            const torque = row.force();
            const effort = row.joint.effective.effort;
            const over = effort !== null && Math.abs(torque) > effort;
            setText(row.torque, `${steady(torque, Math.abs(torque) < 10 ? 3 : 2)} ${this.forceUnit(row.joint, row.yd - row.joint.yd)}`);
            row.torque.classList.toggle("over", over);
            row.torque.title = over ? `more than the effort limit of ${brief(effort)}` : "torque that holds the joint against gravity";
        }
        this.updateFollowers();
    }

    /** Returns the unit of the force along the k-th velocity of a joint. */
    private forceUnit(joint: Joint, k: number): string {
        return this.robot.about.velocities[joint.qd + k]?.unit === "length" ? "N" : "N m";
    }

    private updateFollowers(): void {
        const { about } = this.robot;
        const q = this.robot.q;
        const G = this.robot.array("G");
        for (const { component, value, slope, joint, box, group } of this.followers) {
            if (group && !group.open) continue;
            const part = about.positions[component]!;
            const unit = this.unitOf(part.unit === "length");
            setText(value, `${steady(q[component]! * unit.factor, unit.places)} ${unit.text}`);
            const beyond = (joint.lower !== null && q[component]! < joint.lower - 1e-9)
                || (joint.upper !== null && q[component]! > joint.upper + 1e-9);
            box.classList.toggle("beyond", beyond && joint.bounded);
            const terms: string[] = [];
            const row = joint.qd + part.component;
            for (let k = 0; k < about.nyd; k++) {
                const g = G[row * about.nyd + k]!;
                if (Math.abs(g) > 1e-9) terms.push(steady(g, 3));
            }
            setText(slope, terms.length > 4 ? `G: ${terms.length} entries` : `G: ${terms.join(", ") || "0"}`);
        }
    }

    // ---- the table for screen readers ----

    private makeTable(): void {
        const body = element("tbody");
        for (const part of this.robot.about.positions) {
            const joint = this.robot.about.joints[part.joint]!;
            const value = element("td"), torque = element("td");
            body.append(element("tr", {}, element("th", { scope: "row" }, joint.name + part.text),
                element("td", {}, part.entry < 0 ? "follows" : "independent"), value, torque));
            this.spoken.push([value, torque]);
        }
        byId("table").append(
            element("caption", {}, "Coordinates of the robot"),
            element("thead", {}, element("tr", {}, ...["coordinate", "kind", "position", "torque against gravity"].map((h) =>
                element("th", { scope: "col" }, h)))),
            body);
    }

    /** Updates the table. Called only when the robot rests. */
    updateTable(): void {
        const tau = this.robot.array("treeTau"), q = this.robot.q;
        this.robot.about.positions.forEach((part, k) => {
            const joint = this.robot.about.joints[part.joint]!;
            const unit = this.unitOf(part.unit === "length");
            const quaternion = part.unit === "none";
            const [value, torque] = this.spoken[k]!;
            setText(value!, quaternion ? steady(q[k]!, 4) : `${steady(q[k]! * unit.factor, unit.places)} ${unit.text}`);
            setText(torque!, joint.nv === 1 ? `${brief(tau[joint.qd])} ${this.forceUnit(joint, 0)}` : "");
        });
    }
}

function setText(at: HTMLElement, text: string): void {
    if (at.textContent !== text) at.textContent = text;
}

// ---- orientations: x, y, z, w and fixed-axis roll, pitch, yaw ----

function rpyOf(x: ArrayLike<number>): [number, number, number] {
    const [a, b, c, w] = [x[0]!, x[1]!, x[2]!, x[3]!];
    return [
        Math.atan2(2 * (w * a + b * c), 1 - 2 * (a * a + b * b)),
        Math.asin(Math.min(1, Math.max(-1, 2 * (w * b - c * a)))),
        Math.atan2(2 * (w * c + a * b), 1 - 2 * (b * b + c * c)),
    ];
}

function dot(a: Triple, b: ArrayLike<number>): number {
    return a[0] * b[0]! + a[1] * b[1]! + a[2] * b[2]!;
}

/** Rotates a vector from world to link axes: v + 2 w (v × x) + 2 (v × x) × x with the link's quaternion x, w. */
function intoLink([x, y, z, w]: ArrayLike<number> & Iterable<number>, v: Triple): Triple {
    const cross = (a: Triple, b: Triple): Triple => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    const axis: Triple = [x!, y!, z!], once = cross(v, axis), twice = cross(once, axis);
    return [0, 1, 2].map((i) => v[i]! + 2 * w! * once[i]! + 2 * twice[i]!) as Triple;
}

/** Returns ω in link axes for a unit rate of roll, pitch or yaw. */
function turnRate([roll, pitch]: Triple, axis: number): Triple {
    const [cr, sr, cp, sp] = [Math.cos(roll), Math.sin(roll), Math.cos(pitch), Math.sin(pitch)];
    return ([[1, 0, 0], [0, cr, -sr], [-sp, cp * sr, cp * cr]] as Triple[])[axis]!;
}

function quaternionOf([roll, pitch, yaw]: [number, number, number]): [number, number, number, number] {
    const [cr, sr] = [Math.cos(roll / 2), Math.sin(roll / 2)];
    const [cp, sp] = [Math.cos(pitch / 2), Math.sin(pitch / 2)];
    const [cy, sy] = [Math.cos(yaw / 2), Math.sin(yaw / 2)];
    return [sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy, cr * cp * cy + sr * sp * sy];
}
