// SPDX-License-Identifier: MIT
// Playback of a table: the robot follows its columns q:, plots stand below, and the time that is
// shown is one and the same in all of them.

import uPlot from "uplot";
import type { Robot, Table } from "./core.ts";
import { byId, element, steady } from "./dom.ts";

const PALETTE = ["#0e9aa7", "#e5484d", "#8a5cd6", "#f2b01e", "#3e63dd", "#30a46c", "#d6409f", "#7c8796"];
const UNITS: Record<string, string> = { q: "rad, m", qd: "rad/s, m/s", qdd: "rad/s², m/s²", tau: "N m, N", energy: "J", work: "J" };

export class Motion {
    running = false;
    time = 0;
    onTime: () => void = () => undefined;
    onChange: () => void = () => undefined;
    private table: Table | null = null;
    private times: Float64Array = new Float64Array(0);
    /** entries of y and of ẏ, and their columns */
    private positions: [number, Float64Array][] = [];
    private plots: uPlot[] = [];
    private last = 0;
    private readonly drawer = byId("motion");
    private readonly button = byId<HTMLButtonElement>("motion-play");
    private readonly slider = byId<HTMLInputElement>("motion-time");

    constructor(private readonly robot: Robot) {
        this.button.addEventListener("click", () => this.toggle());
        this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
        byId("motion-close").addEventListener("click", () => this.close());
        new ResizeObserver(() => this.resize()).observe(byId("plots"));
    }

    get loaded(): boolean { return this.table !== null; }
    get end(): number { return this.times[this.times.length - 1] ?? 0; }

    /** Throws with what is wrong with the table. */
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

    /** The robot at that time: between rows on the straight line from one to the next. */
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
        const target = Float64Array.from(this.robot.y);
        for (const [entry, values] of this.positions) {
            const value = values[row]! + part * (values[next]! - values[row]!);
            if (Number.isFinite(value)) target[entry] = value;
        }
        this.robot.normalize(target);
        const stopped = this.robot.moveTo(target);
        byId("motion-now").textContent = `${steady(t, 2)} s`;
        this.slider.value = String(t);
        for (const plot of this.plots) plot.redraw(false);
        byId("motion-status").textContent = stopped ?? "";
        this.onTime();
    }

    // ---- plots ----

    /** A panel for each quantity; anew where colours change. */
    drawPlots(): void {
        const box = byId("plots");
        for (const plot of this.plots) plot.destroy();
        this.plots = [];
        box.replaceChildren();
        if (!this.table) return;
        const panels = new Map<string, number[]>();
        this.table.columns.forEach((column, k) => {
            const [quantity] = splitColumn(column);
            const numbers = this.table!.values[k]!.some((v) => Number.isFinite(v));
            if (quantity === "t" || quantity === "event" || !numbers) return;
            const panel = quantity === "work" ? "energy" : quantity;
            panels.set(panel, [...(panels.get(panel) ?? []), k]);
        });
        for (const [quantity, columns] of panels) this.plots.push(this.drawPlot(box, quantity, columns));
        this.resize();
    }

    private drawPlot(box: HTMLElement, quantity: string, columns: number[]): uPlot {
        const style = getComputedStyle(document.body);
        const ink = style.getPropertyValue("--soft").trim(), line = style.getPropertyValue("--line").trim();
        const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "11px system-ui" };
        const title = UNITS[quantity] ? `${quantity} (${UNITS[quantity]})` : quantity;
        const holder = element("figure", { "aria-label": `plot of ${title}` }, element("figcaption", {}, title));
        box.append(holder);
        const series = columns.map((k, n) => ({
            label: splitColumn(this.table!.columns[k]!)[1] || this.table!.columns[k]!,
            stroke: PALETTE[n % PALETTE.length]!, width: 1.5, points: { show: false },
        }));
        const plot = new uPlot({
            width: 300, height: 130, series: [{ label: "t" }, ...series],
            axes: [{ ...axis, size: 26 }, { ...axis, size: 52 }], scales: { x: { time: false } },
            legend: { show: columns.length <= 8, live: false }, cursor: { sync: { key: "motion" }, drag: { x: false, y: false } },
            hooks: { draw: [(u) => this.drawTime(u)] },
        }, [Array.from(this.times), ...columns.map((k) => Array.from(this.table!.values[k]!))], holder);
        const seek = (event: PointerEvent) => {
            if (event.buttons === 0) return;
            const t = plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x");
            this.stop();
            this.show(Math.min(Math.max(t, this.times[0]!), this.end));
        };
        plot.over.addEventListener("pointerdown", seek);
        plot.over.addEventListener("pointermove", seek);
        return plot;
    }

    /** The time that is shown, as a line across a plot. */
    private drawTime(plot: uPlot): void {
        const x = Math.round(plot.valToPos(this.time, "x", true));
        const { ctx } = plot;
        ctx.save();
        ctx.strokeStyle = "#ff9d1c";
        ctx.lineWidth = 2 * devicePixelRatio;
        ctx.beginPath();
        ctx.moveTo(x, plot.bbox.top);
        ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
        ctx.stroke();
        ctx.restore();
    }

    private resize(): void {
        for (const plot of this.plots) {
            const width = (plot.root.parentElement as HTMLElement).clientWidth;
            if (width > 0) plot.setSize({ width, height: 130 });
        }
    }
}

/** The quantity of a column and what it is of: "q:elbow" is q of elbow, "energy" energy of "". */
function splitColumn(column: string): [string, string] {
    const colon = column.indexOf(":");
    return colon < 0 ? [column, ""] : [column.slice(0, colon), column.slice(colon + 1)];
}
