// SPDX-License-Identifier: MIT
// What wasm/page.h declares. Made of it by wasm/page_list.py; change that.

/** The shared arrays, by their number. */
export const ARRAYS = [
    "y",
    "yd",
    "ydd",
    "tau",
    "target",
    "q",
    "qd",
    "treeTau",
    "G",
    "poses",
    "reactions",
    "phi",
    "com",
    "energy",
    "counts",
    "jacobian",
    "step",
    "trial",
    "point",
    "goal",
    "gravity",
    "payloads",
    "wrenches",
    "external",
    "turned",
    "start",
    "held",
    "pinned",
] as const;

/** The functions; pointers and statuses are numbers. */
export interface PageFunctions {
    tv_allocate(size: number): number;
    tv_free(memory: number): void;
    tv_status_text(status: number): number;
    tv_load(text: number, size: number): number;
    tv_ignore_limits(on: number): number;
    tv_array(which: number): number;
    tv_length(which: number): number;
    tv_update(): number;
    tv_reactions(): number;
    tv_inverse_dynamics(): number;
    tv_forward_dynamics(): number;
    tv_residual(): number;
    tv_failed_loop(): number;
    tv_move(): number;
    tv_reset(): void;
    tv_set_loads(): number;
    tv_set_start(): number;
    tv_drag_begin(link: number): number;
    tv_drag(): number;
    tv_drag_end(): void;
    tv_play(passive: number, stops: number, rtol: number, frictionVelocity: number): number;
    tv_set_damping(damping: number): void;
    tv_pull(link: number, stiffness: number): void;
    tv_advance(t: number, steps: number): number;
    tv_sample(): number;
    tv_time(): number;
    tv_stop(): void;
    tv_motion_read(name: number): number;
    tv_motion_rows(): number;
    tv_motion_column(k: number): number;
    tv_motion_headings(): number;
    tv_description(): number;
}
