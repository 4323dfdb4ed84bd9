// SPDX-License-Identifier: MIT
// Plays back a table: the robot follows its columns q:, and plots below show the same time.

import type { Robot, Table } from "./core.ts";
import { byId, steady } from "./dom.ts";
import { panelsOf, Plots, splitColumn } from "./plots.ts";

export class Motion {
    running = false;
    time = 0;
    onTime: () => void = () => undefined;
    onChange: () => void = () => undefined;
    private table: Table | null = null;
    private times: Float64Array = new Float64Array(0);
    /** indices in y and ẏ, and their columns */
    private positions: [number, Float64Array][] = [];
    private degrees = true;
    private readonly plots = new Plots(byId("plots"), byId("legend"));
    private last = 0;
    private readonly drawer = byId("motion");
    private readonly button = byId<HTMLButtonElement>("motion-play");
    private readonly slider = byId<HTMLInputElement>("motion-time");

    constructor(private readonly robot: Robot) {
        this.button.addEventListener("click", () => this.toggle());
        this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
        byId("motion-close").addEventListener("click", () => this.close());
        this.plots.onSeek = (t) => {
            this.stop();
            this.show(Math.min(Math.max(t, this.times[0]!), this.end));
        };
    }

    get loaded(): boolean { return this.table !== null; }
    get end(): number { return this.times[this.times.length - 1] ?? 0; }

    /** Loads a table. Throws an error message if it is invalid. */
    load(name: string, bytes: Uint8Array, isText = false): void {
        const table = this.robot.readMotion(name, bytes, isText);
        const at = table.columns.indexOf("t");
        const times = at < 0 ? Float64Array.from({ length: table.rows }, (_, r) => r / 100) : table.values[at]!;
        const { about } = this.robot;
        const entries = new Map(about.positions.map((p) => [about.joints[p.joint]!.name + p.text, p.entry]));
        this.positions = [];
        table.columns.forEach((column, k) => {
            const [quantity, of] = splitColumn(column);
            const entry = quantity === "q" ? entries.get(of) : undefined;
            if (entry !== undefined && entry >= 0) this.positions.push([entry, table.values[k]!]);
        });
        this.table = table;
        this.times = times;
        this.drawer.hidden = false;
        byId("motion-name").textContent = name;
        this.slider.min = String(times[0]);
        this.slider.max = String(this.end);
        this.drawPlots();
        this.show(times[0]!);
    }

    close(): void {
        this.stop();
        this.table = null;
        this.drawer.hidden = true;
        this.onChange();
    }

    // ---- time ----

    toggle(): void {
        if (this.running) this.stop();
        else this.start();
    }

    start(): void {
        if (!this.table) return;
        if (this.time >= this.end) this.time = this.times[0]!;
        this.last = 0;
        this.setRunning(true);
    }

    stop(): void { if (this.running) this.setRunning(false); }

    private setRunning(running: boolean): void {
        this.running = running;
        this.button.textContent = running ? "Pause" : "Play";
        this.onChange();
    }

    frame(now: number): void {
        const dt = this.last === 0 ? 0 : (now - this.last) / 1000;
        this.last = now;
        const t = Math.min(this.time + dt, this.end);
        this.show(t);
        if (t >= this.end) this.stop();
    }

    /** Returns y of a row. Missing numbers come from the robot. */
    private rowOf(r: number): Float64Array {
        const y = Float64Array.from(this.robot.y);
        for (const [entry, values] of this.positions) if (Number.isFinite(values[r]!)) y[entry] = values[r]!;
        return y;
    }

    /** Moves the robot to time t, with linear interpolation between rows. */
    show(t: number): void {
        if (!this.table) return;
        this.time = t;
        const times = this.times;
        let row = 0, beyond = times.length - 1;
        while (beyond - row > 1) {
            const middle = (row + beyond) >> 1;
            if (times[middle]! <= t) row = middle;
            else beyond = middle;
        }
        const next = Math.min(row + 1, times.length - 1);
        const part = next === row ? 0 : Math.min(1, Math.max(0, (t - times[row]!) / (times[next]! - times[row]!)));
        const target = this.rowOf(row), goal = this.rowOf(next);
        this.robot.align(goal, target);
        for (const [entry, values] of this.positions)
            if (Number.isFinite(values[row]!) && Number.isFinite(values[next]!)) target[entry] = target[entry]! + part * (goal[entry]! - target[entry]!);
            else target[entry] = this.robot.y[entry]!;
        this.robot.normalize(target);
        const stopped = this.robot.moveTo(target);
        byId("motion-now").textContent = `${steady(t, 2)} s`;
        this.slider.value = String(t);
        this.plots.show(t);
        byId("motion-status").textContent = stopped ?? "";
        this.onTime();
    }

    // ---- plots ----

    /** Redraws the plots after colors or units have changed. */
    drawPlots(): void {
        if (this.table) this.plots.draw(panelsOf(this.robot.about, this.table, this.degrees), this.times);
    }

    setDegrees(degrees: boolean): void {
        this.degrees = degrees;
        this.drawPlots();
    }
}
