// SPDX-License-Identifier: MIT
// Initial state, gravity, payloads and wrenches: applies the page's data, and makes fields to change
// them.

import type { Robot } from "./core.ts";
import type { PageData } from "./description.ts";
import { byId, element } from "./dom.ts";

const PAYLOAD = 10, WRENCH = 10; // numbers of each: mass, com, inertia; link and 1, force, moment, point

export class Loads {
    onChange: () => void = () => undefined;
    say: (text: string) => void = () => undefined;

    constructor(private readonly robot: Robot, private readonly data: PageData) {
        byId("play-options").append(element("div", { class: "field" }, element("span", {}, "Gravity (m/s²)"),
            ...["x", "y", "z"].map((axis, k) => this.field(`gravity ${axis}`, () => [robot.array("gravity"), k]))));
    }

    /** Applies the initial state of the page. Returns errors, else "". */
    begin(): string {
        const { robot } = this;
        const { gravity, payloads = [], wrenches = [], start, y, yd } = this.data.state ?? {};
        if (gravity) robot.array("gravity").set(gravity);
        for (const { link, mass, com, inertia } of payloads) robot.array("payloads").set([mass, ...com, ...inertia], PAYLOAD * link);
        const all = robot.array("wrenches"), room = all.length / WRENCH;
        wrenches.slice(0, room).forEach(({ link, force, moment, point }, n) => all.set([link + 1, ...force, ...moment, ...point], WRENCH * n));
        const loaded = gravity || payloads.length > 0 || wrenches.length > 0 ? robot.setLoads() : null;
        const started = start ? robot.setStart(start) : null;
        const begun = y ? robot.setBegin(y, yd ?? new Array<number>(robot.about.nyd).fill(0)) : null;
        return [loaded, started, begun, wrenches.length > room ? `the page supports at most ${room} wrenches` : null].filter((s) => s !== null).join("; ");
    }

    /** Makes the field for a link's payload (kg). A new payload is at the link's origin. */
    payload(link: number): HTMLElement {
        const { name } = this.robot.about.links[link]!;
        return element("label", { class: "field" }, element("span", {}, "payload (kg)"),
            this.field(`payload of ${name}`, () => [this.robot.array("payloads"), PAYLOAD * link]));
    }

    /** Makes the fields for the wrenches on a link, or empty fields if it has none. */
    wrenches(link: number): HTMLElement {
        const { name } = this.robot.about.links[link]!, all = this.robot.array("wrenches");
        const heads = Array.from({ length: all.length / WRENCH }, (_, n) => all[WRENCH * n]!);
        const own = heads.flatMap((head, n) => (head === link + 1 ? [n] : []));
        const free = heads.indexOf(0);
        if (own.length === 0 && free >= 0) all.fill(0, WRENCH * free, WRENCH * free + WRENCH); // clears an earlier wrench on another link
        const places = own.length > 0 ? own : free < 0 ? [] : [free];
        const rows = [["force (N)", 1], ["moment (N m)", 4], ["at (m)", 7]] as const;
        return element("details", own.length > 0 ? { class: "wrench", open: true } : { class: "wrench" },
            element("summary", {}, "External force ", element("small", {}, "world axes, at a point of the link")),
            ...places.flatMap((n) => rows.map(([label, first]) => element("div", { class: "field" }, element("span", {}, label),
                ...["x", "y", "z"].map((axis, k) => this.field(`${label} ${axis} on ${name}`, () => {
                    const now = this.robot.array("wrenches");
                    return [now, WRENCH * n + first + k];
                }, () => this.claim(n, link)))))));
    }

    /** Assigns a wrench to the link while it has a force or a moment. */
    private claim(n: number, link: number): void {
        const wrench = this.robot.array("wrenches").subarray(WRENCH * n, WRENCH * n + WRENCH);
        wrench[0] = wrench.subarray(1, 7).some((x) => x !== 0) ? link + 1 : 0;
    }

    /** Makes the field for a number in an array. changed is called before the robot is updated. */
    private field(name: string, place: () => [array: Float64Array, k: number], changed: () => void = () => undefined): HTMLElement {
        const read = () => {
            const [array, k] = place();
            return array[k]!;
        };
        const write = (value: number) => {
            const [array, k] = place();
            array[k] = value;
            changed();
            return this.robot.setLoads();
        };
        const made = element("input", { type: "number", step: "any", "aria-label": name });
        made.value = String(read());
        made.addEventListener("change", () => {
            const before = read(), value = Number(made.value);
            const failed = made.value !== "" && Number.isFinite(value) ? write(value) : null;
            if (failed) write(before);
            this.say(failed ? `${name}: ${failed}` : "");
            made.value = String(read());
            this.onChange();
        });
        return made;
    }
}
