// SPDX-License-Identifier: MIT
// Plots of a table: one panel per quantity and unit, in the units of the sliders, with separate panels
// for elastic joints and one common legend.

import uPlot from "uplot";
import type { Table } from "./core.ts";
import type { Component, Description } from "./description.ts";
import { element } from "./dom.ts";
import { isElastic } from "./groups.ts";

const PALETTE = ["#0e9aa7", "#e5484d", "#8a5cd6", "#f2b01e", "#3e63dd", "#30a46c", "#d6409f", "#7c8796"];
const HEIGHT = 130;

interface Curve {
    /** name in the legend */
    name: string;
    values: Float64Array;
    factor: number;
}

interface Panel {
    title: string;
    curves: Curve[];
}

/** Splits a column's name into quantity and coordinate: "q:elbow" is q of elbow, "energy" is energy of "". */
export function splitColumn(column: string): [string, string] {
    const colon = column.indexOf(":");
    return colon < 0 ? [column, ""] : [column.slice(0, colon), column.slice(colon + 1)];
}

/** Returns the components of a robot's coordinates by column name. */
function componentsOf(about: Description): Map<string, Component> {
    const named = new Map<string, Component>();
    const nameOf = (c: Component, text = c.text) => about.joints[c.joint]!.name + text;
    for (const c of about.positions) named.set(`q:${nameOf(c)}`, c);
    for (const c of about.velocities) {
        for (const quantity of ["qd", "qdd"]) named.set(`${quantity}:${nameOf(c)}`, c);
        named.set(`tau:${nameOf(c, c.text.replace(/\.w(?=[xyz]$)/, ".m").replace(/\.v(?=[xyz]$)/, ".f"))}`, c);
    }
    return named;
}

/** Returns the unit of a coordinate's quantity, and the factor for numbers in SI units and radians. */
function unitOf(quantity: string, unit: Component["unit"], degrees: boolean): [text: string, factor: number] {
    if (unit === "none") return ["", 1];
    if (quantity === "tau") return [unit === "angle" ? "N m" : "N", 1];
    const [text, factor] = unit === "length" ? ["mm", 1000] : degrees ? ["°", 180 / Math.PI] : ["rad", 1];
    return [text + ({ qd: "/s", qdd: "/s²" }[quantity] ?? ""), factor];
}

/** Returns the panels of a table: columns with numbers, grouped by quantity, unit and elasticity. */
export function panelsOf(about: Description, table: Table, degrees: boolean): Panel[] {
    const components = componentsOf(about), panels = new Map<string, Panel>();
    table.columns.forEach((column, k) => {
        const values = table.values[k]!, [quantity, of] = splitColumn(column);
        if (quantity === "t" || !values.some((v) => Number.isFinite(v))) return;
        const component = components.get(column);
        const [unit, factor] = component ? unitOf(quantity, component.unit, degrees) : [/^(energy|work)$/.test(quantity) ? "J" : "", 1];
        const elastic = component !== undefined && isElastic(about.joints[component.joint]!);
        const title = `${quantity === "work" ? "energy" : quantity}${elastic ? ", elastic" : ""}${unit ? ` (${unit})` : ""}`;
        const panel = panels.get(title) ?? { title, curves: [] };
        panel.curves.push({ name: of || column, values, factor });
        panels.set(title, panel);
    });
    return [...panels.values()];
}

export class Plots {
    /** called with the time that the user selected */
    onSeek: (t: number) => void = () => undefined;
    time = 0;
    private plots: uPlot[] = [];
    private readonly off = new Set<string>();

    constructor(private readonly box: HTMLElement, private readonly legend: HTMLElement) {
        new ResizeObserver(() => this.resize()).observe(box);
    }

    clear(): void {
        for (const plot of this.plots) plot.destroy();
        this.plots = [];
        this.box.replaceChildren();
        this.legend.replaceChildren();
    }

    draw(panels: Panel[], times: Float64Array): void {
        this.clear();
        const names = [...new Set(panels.flatMap(({ curves }) => curves.map((c) => c.name)))];
        const colours = new Map(names.map((name, k) => [name, PALETTE[k] ?? `hsl(${(k * 137.5) % 360} 62% 50%)`]));
        for (const name of names) this.legend.append(this.entry(name, colours.get(name)!));
        for (const panel of panels) this.plots.push(this.drawPanel(panel, times, colours));
        this.resize();
    }

    /** Shows a time in all plots. */
    show(t: number): void {
        this.time = t;
        for (const plot of this.plots) plot.redraw(false);
    }

    /** Makes an entry of the legend, which toggles its curves. */
    private entry(name: string, colour: string): HTMLElement {
        const mark = element("i");
        mark.style.background = colour;
        const made = element("button", { type: "button", "aria-pressed": String(!this.off.has(name)), title: "hide or show" }, mark, name);
        made.addEventListener("click", () => {
            if (!this.off.delete(name)) this.off.add(name);
            made.setAttribute("aria-pressed", String(!this.off.has(name)));
            for (const plot of this.plots)
                plot.series.forEach((series, k) => { if (k > 0 && series.label === name) plot.setSeries(k, { show: !this.off.has(name) }); });
        });
        return made;
    }

    private drawPanel({ title, curves }: Panel, times: Float64Array, colours: Map<string, string>): uPlot {
        const style = getComputedStyle(document.body);
        const ink = style.getPropertyValue("--soft").trim(), line = style.getPropertyValue("--line").trim();
        const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "11px system-ui" };
        const holder = element("figure", { "aria-label": `plot of ${title}` }, element("figcaption", {}, title));
        this.box.append(holder);
        const plot = new uPlot({
            width: 300, height: HEIGHT, legend: { show: false }, scales: { x: { time: false } },
            series: [{ label: "t" }, ...curves.map(({ name }) => ({ label: name, show: !this.off.has(name), stroke: colours.get(name)!, width: 1.5, points: { show: false } }))],
            // width of the widest number
            axes: [{ ...axis, size: 26 }, { ...axis, size: (_, values) => 18 + 6.5 * Math.max(4, ...(values ?? []).map((v) => v.length)) }],
            cursor: { sync: { key: "motion" }, drag: { x: false, y: false } },
            hooks: { draw: [(u) => this.drawTime(u)] },
        }, [Array.from(times), ...curves.map(({ values, factor }) => Array.from(values, (v) => (Number.isFinite(v) ? factor * v : null)))], holder);
        const seek = (event: PointerEvent) => {
            if (event.buttons === 0) return;
            this.onSeek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
        };
        plot.over.addEventListener("pointerdown", seek);
        plot.over.addEventListener("pointermove", seek);
        return plot;
    }

    /** Draws the current time as a line across a plot. */
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
            if (width > 0) plot.setSize({ width, height: HEIGHT });
        }
    }
}
