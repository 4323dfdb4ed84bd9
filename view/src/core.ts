// SPDX-License-Identifier: MIT
// tandem itself, compiled to WebAssembly (wasm/page.h): the robot of the page, its arrays, and the
// functions on them. All numbers that the page shows come from here.

import type { Description } from "./description.ts";
import { ARRAYS, type PageFunctions } from "./page.ts";

export type ArrayName = (typeof ARRAYS)[number];

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

    private constructor(wasm: Exports) {
        this.wasm = wasm;
        this.place = ARRAYS.map((_, i) => wasm.tv_array(i));
        this.length = ARRAYS.map((_, i) => wasm.tv_length(i));
        const text = wasm.tv_description();
        if (text === 0) throw new Error("out of memory");
        this.about = JSON.parse(stringAt(wasm, text)) as Description;
        wasm.tv_free(text);
        this.update();
    }

    /** The robot of a text of td_model_write; throws with tandem's text of what is wrong. */
    static async load(binary: Uint8Array, model: string): Promise<Robot> {
        let memory: WebAssembly.Memory;
        const system = systemStubs(() => memory);
        const { instance } = await WebAssembly.instantiate(binary as BufferSource, {
            wasi_snapshot_preview1: system,
        });
        const wasm = instance.exports as unknown as Exports;
        memory = wasm.memory;
        wasm._initialize();
        const bytes = new TextEncoder().encode(model);
        const place = wasm.tv_allocate(bytes.length + 1);
        if (place === 0) throw new Error("out of memory");
        new Uint8Array(wasm.memory.buffer).set(bytes, place);
        const status = wasm.tv_load(place, bytes.length);
        wasm.tv_free(place);
        if (status !== 0) throw new Error(stringAt(wasm, wasm.tv_status_text(status)));
        return new Robot(wasm);
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

    /** Gravity and payloads are those of their arrays; what has failed. */
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

    reset(): void {
        this.wasm.tv_reset();
        this.update();
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

function stringAt(wasm: Exports, place: number): string {
    const bytes = new Uint8Array(wasm.memory.buffer, place);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

/** What wasi-libc asks of a system: no environment, no files. */
function systemStubs(memory: () => WebAssembly.Memory): Record<string, (...a: number[]) => number> {
    const BAD_FILE = 8;
    return {
        environ_get: () => 0,
        environ_sizes_get: (count, size) => {
            const view = new DataView(memory().buffer);
            view.setUint32(count!, 0, true);
            view.setUint32(size!, 0, true);
            return 0;
        },
        fd_close: () => BAD_FILE,
        fd_seek: () => BAD_FILE,
        fd_write: () => BAD_FILE,
        fd_fdstat_get: () => BAD_FILE,
        proc_exit: (code) => {
            throw new Error(`tandem ended with ${code}`);
        },
    };
}
