// SPDX-License-Identifier: MIT
// tandem itself, compiled to WebAssembly (wasm/page.h): the robot of the page, its arrays, and the
// functions on them. All numbers that the page shows come from here.

import type { Description } from "./description.ts";
import { ARRAYS, type PageFunctions } from "./page.ts";
import { System } from "./system.ts";

export type ArrayName = (typeof ARRAYS)[number];

/** A table of motion as columns of numbers, NaN where there is none: t in s, q:, qd: and qdd: of coordinates in SI
    units and radians, and others as they are headed. */
export interface Table {
    columns: string[];
    values: Float64Array[];
    rows: number;
}

interface Exports extends PageFunctions {
    memory: WebAssembly.Memory;
    _initialize(): void;
}

export class Robot {
    readonly about: Description;
    private readonly wasm: Exports;
    private readonly place: number[];
    private readonly length: number[];
    private views: Float64Array[] = [];
    private buffer: ArrayBuffer | null = null;
    private begin: [y: Float64Array, yd: Float64Array] | null = null;

    private constructor(wasm: Exports, private readonly system: System) {
        this.wasm = wasm;
        this.place = ARRAYS.map((_, i) => wasm.tv_array(i));
        this.length = ARRAYS.map((_, i) => wasm.tv_length(i));
        this.about = this.describe();
        this.update();
    }

    private describe(): Description {
        const text = this.wasm.tv_description();
        if (text === 0) throw new Error("out of memory");
        const about = JSON.parse(stringAt(this.wasm, text)) as Description;
        this.wasm.tv_free(text);
        return about;
    }

    /** The robot of a text of td_model_write; throws with tandem's text of what is wrong. */
    static async load(binary: Uint8Array, model: string): Promise<Robot> {
        const system = new System();
        const { instance } = await WebAssembly.instantiate(binary as BufferSource, {
            wasi_snapshot_preview1: system.calls,
        });
        const wasm = instance.exports as unknown as Exports;
        system.memory = wasm.memory;
        wasm._initialize();
        const place = placeString(wasm, model);
        const status = wasm.tv_load(place, new Uint8Array(wasm.memory.buffer).indexOf(0, place) - place);
        wasm.tv_free(place);
        if (status !== 0) throw new Error(stringAt(wasm, wasm.tv_status_text(status)));
        return new Robot(wasm, system);
    }

    /** An array in place; it is to be asked for anew after every call, since memory may move. */
    array(name: ArrayName): Float64Array {
        if (this.buffer !== this.wasm.memory.buffer) {
            this.buffer = this.wasm.memory.buffer;
            this.views = ARRAYS.map((_, i) => new Float64Array(this.buffer!, this.place[i], this.length[i]));
        }
        return this.views[ARRAYS.indexOf(name)]!;
    }

    get y() { return this.array("y"); }
    get q() { return this.array("q"); }

    /** All that follows from y and ẏ. */
    update(): number { return this.wasm.tv_update(); }
    /** Forces in joints at rest, world axes. */
    reactions(): number { return this.wasm.tv_reactions(); }
    inverseDynamics(): number { return this.wasm.tv_inverse_dynamics(); }
    forwardDynamics(): number { return this.wasm.tv_forward_dynamics(); }
    /** Largest |φ| of mimic joints and loops. */
    get residual(): number { return this.wasm.tv_residual(); }

    /** Moves y to the target, or as far towards it as loops close; what stops it, else null. */
    moveTo(target: ArrayLike<number>): string | null {
        this.array("target").set(target);
        const status = this.wasm.tv_move();
        return status === 0 ? null : this.complaint(status);
    }

    /** The text of a status, with the loop that it is about. */
    complaint(status: number): string {
        const loop = this.about.loops[this.wasm.tv_failed_loop()];
        const text = stringAt(this.wasm, this.wasm.tv_status_text(status));
        return loop ? `${text}: ${loop.name}` : text;
    }

    /** Takes the robot without its limits of position, or with them; what has failed. Limits in about change, and a motion ends. */
    ignoreLimits(on: boolean): string | null {
        const status = this.wasm.tv_ignore_limits(on ? 1 : 0), about = this.describe();
        about.joints.forEach((joint, i) => Object.assign(this.about.joints[i]!, joint));
        return status === 0 ? null : this.complaint(status);
    }

    /** Gravity, payloads and wrenches are those of their arrays; what has failed. */
    setLoads(): string | null {
        const status = this.wasm.tv_set_loads();
        return status === 0 ? null : this.complaint(status);
    }
    /** The robot begins at q, whose branch of loops it keeps; what has failed. */
    setStart(q: ArrayLike<number>): string | null {
        this.array("start").set(q);
        const status = this.wasm.tv_set_start();
        this.update();
        return status === 0 ? null : this.complaint(status);
    }

    /** The robot begins at y and ẏ; what has failed. */
    setBegin(y: ArrayLike<number>, yd: ArrayLike<number>): string | null {
        this.begin = [Float64Array.from(y), Float64Array.from(yd)];
        const status = this.reset();
        return status === 0 ? null : this.complaint(status);
    }

    reset(): number {
        this.wasm.tv_reset();
        if (this.begin) {
            this.y.set(this.begin[0]);
            this.array("yd").set(this.begin[1]);
        }
        return this.update();
    }

    /** Of quaternions of a row of y the sign that is nearer to those of another row: q and −q are the same rotation. */
    align(y: Float64Array, other: Float64Array): void {
        for (const joint of this.about.joints) {
            if (joint.quaternion < 0 || joint.y < 0) continue;
            const first = joint.y + joint.quaternion, x = y.subarray(first, first + 4);
            if (x.reduce((sum, value, k) => sum + value * other[first + k]!, 0) < 0) x.forEach((value, k) => { x[k] = -value; });
        }
    }

    /** Quaternions of y to unit length; those without any length as they are in the robot. */
    normalize(y: Float64Array): void {
        for (const joint of this.about.joints) {
            if (joint.quaternion < 0 || joint.y < 0) continue;
            const first = joint.y + joint.quaternion, x = y.subarray(first, first + 4), length = Math.hypot(...x);
            if (length > 0) x.forEach((value, k) => { x[k] = value / length; });
            else x.set(this.y.subarray(first, first + 4));
        }
    }

    /** Takes hold of a point of a link, to drag it; what has failed. */
    beginDrag(link: number, point: ArrayLike<number>): string | null {
        this.array("point").set(point);
        const status = this.wasm.tv_drag_begin(link);
        return status === 0 ? null : this.complaint(status);
    }
    /** Leads that point towards a goal of the world; returns the distance left (m). */
    drag(goal: ArrayLike<number>): number {
        this.array("goal").set(goal);
        return this.wasm.tv_drag();
    }
    endDrag(): void { this.wasm.tv_drag_end(); }

    // ---- motion ----

    /** A table of motion in any form that the command reads; the suffix of its name says which, but for text. Throws
        what is wrong. */
    readMotion(name: string, bytes: Uint8Array, isText = false): Table {
        const { wasm, system } = this;
        const place = placeString(wasm, isText && !/\.csv$/.test(name) ? `${name}.csv` : name);
        system.file = bytes;
        system.complaints();
        try {
            if (wasm.tv_motion_read(place) !== 0) throw new Error(system.complaints() || `${name} is no table of motion`);
        } finally {
            system.file = null;
            wasm.tv_free(place);
        }
        const text = wasm.tv_motion_headings();
        if (text === 0) throw new Error("out of memory");
        const columns = JSON.parse(stringAt(wasm, text)) as string[], rows = wasm.tv_motion_rows();
        wasm.tv_free(text);
        return { columns, rows, values: columns.map((_, k) => new Float64Array(wasm.memory.buffer, wasm.tv_motion_column(k), rows).slice()) };
    }

    /** Lets the robot go from y and ẏ. */
    play(passive: boolean, stops: boolean, rtol = 1e-5, frictionVelocity = 0.05): string | null {
        const status = this.wasm.tv_play(passive ? 1 : 0, stops ? 1 : 0, rtol, frictionVelocity);
        return status === 0 ? null : this.complaint(status);
    }
    setDamping(damping: number): void { this.wasm.tv_set_damping(damping); }
    /** The hand's pull on a point of a link by a spring (N/m); link -1: none. */
    pull(link: number, stiffness: number): void { this.wasm.tv_pull(link, stiffness); }
    movePull(point: ArrayLike<number>, goal: ArrayLike<number>): void {
        this.array("point").set(point);
        this.array("goal").set(goal);
    }
    /** Moves on towards t, for no longer than that many milliseconds, and updates; what has failed. */
    advance(t: number, most = Infinity): string | null {
        const end = performance.now() + most;
        let status = 0;
        do status = this.wasm.tv_advance(t, 4);
        while (status === 0 && this.time < t && performance.now() < end);
        const sampled = this.wasm.tv_sample();
        return status !== 0 ? this.complaint(status) : sampled !== 0 ? this.complaint(sampled) : null;
    }
    get time(): number { return this.wasm.tv_time(); }
    stop(): void { this.wasm.tv_stop(); }
}

/** A copy of a text, with its NUL, to be freed. */
function placeString(wasm: Exports, text: string): number {
    const bytes = new TextEncoder().encode(text), place = wasm.tv_allocate(bytes.length + 1);
    if (place === 0) throw new Error("out of memory");
    const to = new Uint8Array(wasm.memory.buffer, place, bytes.length + 1);
    to.set(bytes);
    to[bytes.length] = 0;
    return place;
}

function stringAt(wasm: Exports, place: number): string {
    const bytes = new Uint8Array(wasm.memory.buffer, place);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}
