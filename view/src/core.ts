// SPDX-License-Identifier: MIT
// The interface to tandem, compiled to WebAssembly (wasm/page.h): the page's robot, its arrays, and
// functions on them. It computes all numbers that the page shows.

import type { Description } from "./description.ts";
import { ARRAYS, type PageFunctions } from "./page.ts";
import { System } from "./system.ts";

export type ArrayName = (typeof ARRAYS)[number];

/** A table of motion as columns of numbers, with NaN for missing ones: t in s; q:, qd: and qdd: of coordinates in SI
    units and radians; others in the units of their headings. */
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

    /** Loads the robot from a text of td_model_write. Throws tandem's message on failure. */
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

    /** Returns an array in place. Get it again after every call, since memory can move. */
    array(name: ArrayName): Float64Array {
        if (this.buffer !== this.wasm.memory.buffer) {
            this.buffer = this.wasm.memory.buffer;
            this.views = ARRAYS.map((_, i) => new Float64Array(this.buffer!, this.place[i], this.length[i]));
        }
        return this.views[ARRAYS.indexOf(name)]!;
    }

    get y() { return this.array("y"); }
    get q() { return this.array("q"); }

    /** Updates everything that depends on y and ẏ. */
    update(): number { return this.wasm.tv_update(); }
    /** Computes joint reactions at rest, in world axes. */
    reactions(): number { return this.wasm.tv_reactions(); }
    inverseDynamics(): number { return this.wasm.tv_inverse_dynamics(); }
    forwardDynamics(): number { return this.wasm.tv_forward_dynamics(); }
    /** Largest |φ| of mimic joints and loops. */
    get residual(): number { return this.wasm.tv_residual(); }

    /** Moves y toward the target as far as loops can be closed. Returns what stopped it, else null. */
    moveTo(target: ArrayLike<number>): string | null {
        this.array("target").set(target);
        const status = this.wasm.tv_move();
        return status === 0 ? null : this.complaint(status);
    }

    /** Returns the text of a status, with the name of the loop that failed. */
    complaint(status: number): string {
        const loop = this.about.loops[this.wasm.tv_failed_loop()];
        const text = stringAt(this.wasm, this.wasm.tv_status_text(status));
        return loop ? `${text}: ${loop.name}` : text;
    }

    /** Turns position limits off or on. Returns the error, else null. Changes the limits in about, and ends a motion. */
    ignoreLimits(on: boolean): string | null {
        const status = this.wasm.tv_ignore_limits(on ? 1 : 0), about = this.describe();
        about.joints.forEach((joint, i) => Object.assign(this.about.joints[i]!, joint));
        return status === 0 ? null : this.complaint(status);
    }

    /** Applies gravity, payloads and wrenches from their arrays. Returns the error, else null. */
    setLoads(): string | null {
        const status = this.wasm.tv_set_loads();
        return status === 0 ? null : this.complaint(status);
    }
    /** Resets the robot to q, and keeps its loop branches. Returns the error, else null. */
    setStart(q: ArrayLike<number>): string | null {
        this.array("start").set(q);
        const status = this.wasm.tv_set_start();
        this.update();
        return status === 0 ? null : this.complaint(status);
    }

    /** Sets y and ẏ at the beginning. Returns the error, else null. */
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

    /** Chooses the signs of quaternions in y nearest to another row: q and −q are the same rotation. */
    align(y: Float64Array, other: Float64Array): void {
        for (const joint of this.about.joints) {
            if (joint.quaternion < 0 || joint.y < 0) continue;
            const first = joint.y + joint.quaternion, x = y.subarray(first, first + 4);
            if (x.reduce((sum, value, k) => sum + value * other[first + k]!, 0) < 0) x.forEach((value, k) => { x[k] = -value; });
        }
    }

    /** Normalizes the quaternions of y. Replaces zero quaternions by the robot's current ones. */
    normalize(y: Float64Array): void {
        for (const joint of this.about.joints) {
            if (joint.quaternion < 0 || joint.y < 0) continue;
            const first = joint.y + joint.quaternion, x = y.subarray(first, first + 4), length = Math.hypot(...x);
            if (length > 0) x.forEach((value, k) => { x[k] = value / length; });
            else x.set(this.y.subarray(first, first + 4));
        }
    }

    /** Begins to drag a point of a link. Returns the error, else null. */
    beginDrag(link: number, point: ArrayLike<number>): string | null {
        this.array("point").set(point);
        const status = this.wasm.tv_drag_begin(link);
        return status === 0 ? null : this.complaint(status);
    }
    /** Moves the point toward a goal in the world frame. Returns the remaining distance (m). */
    drag(goal: ArrayLike<number>): number {
        this.array("goal").set(goal);
        return this.wasm.tv_drag();
    }
    endDrag(): void { this.wasm.tv_drag_end(); }

    // ---- motion ----

    /** Reads a table of motion in any format of the command. The suffix of its name selects the format, unless isText.
        Throws an error message. */
    readMotion(name: string, bytes: Uint8Array, isText = false): Table {
        const { wasm, system } = this;
        const place = placeString(wasm, isText && !/\.csv$/.test(name) ? `${name}.csv` : name);
        system.file = bytes;
        system.complaints();
        try {
            if (wasm.tv_motion_read(place) !== 0) throw new Error(system.complaints() || `${name} is not a table of motion`);
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

    /** Starts a simulation at y and ẏ. */
    play(passive: boolean, stops: boolean, rtol = 1e-5, frictionVelocity = 0.05): string | null {
        const status = this.wasm.tv_play(passive ? 1 : 0, stops ? 1 : 0, rtol, frictionVelocity);
        return status === 0 ? null : this.complaint(status);
    }
    setDamping(damping: number): void { this.wasm.tv_set_damping(damping); }
    /** Pulls a point of a link by a spring (N/m); link -1: none. */
    pull(link: number, stiffness: number): void { this.wasm.tv_pull(link, stiffness); }
    movePull(point: ArrayLike<number>, goal: ArrayLike<number>): void {
        this.array("point").set(point);
        this.array("goal").set(goal);
    }
    /** Simulates toward time t for at most this many milliseconds, and updates. Returns the error, else null. */
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

/** Copies a text with its terminating NUL to the module's memory. The caller frees it. */
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
