// SPDX-License-Identifier: MIT
// Gravity, and bodies that links carry: those that the page begins with, and fields to change them.

import type { Robot } from "./core.ts";
import type { PageData } from "./description.ts";
import { byId, element } from "./dom.ts";

export class Loads {
    onChange: () => void = () => undefined;
    say: (text: string) => void = () => undefined;

    constructor(private readonly robot: Robot, data: PageData) {
        const { gravity, payloads = [], start } = data.state ?? {};
        if (gravity) robot.array("gravity").set(gravity);
        for (const { link, mass, com, inertia } of payloads) robot.array("payloads").set([mass, ...com, ...inertia], 10 * link);
        if (gravity || payloads.length > 0) robot.setLoads();
        if (start) robot.setStart(start);
        byId("play-options").append(element("div", { class: "field" }, element("span", {}, "Gravity (m/s²)"),
            ...["x", "y", "z"].map((axis, k) => this.field(`gravity ${axis}`, () => robot.array("gravity"), k))));
    }

    /** The field of a link's payload (kg), at its origin where it had none. */
    payload(link: number): HTMLElement {
        const { name } = this.robot.about.links[link]!;
        return element("label", { class: "field" }, element("span", {}, "payload (kg)"), this.field(`payload of ${name}`, () => this.robot.array("payloads"), 10 * link));
    }

    private field(name: string, array: () => Float64Array, k: number): HTMLElement {
        const made = element("input", { type: "number", step: "any", "aria-label": name });
        made.value = String(array()[k]);
        made.addEventListener("change", () => {
            const before = array()[k]!, value = Number(made.value);
            if (made.value !== "" && Number.isFinite(value)) array()[k] = value;
            const failed = this.robot.setLoads();
            if (failed) {
                array()[k] = before;
                this.robot.setLoads();
            }
            this.say(failed ? `${name}: ${failed}` : "");
            made.value = String(array()[k]);
            this.onChange();
        });
        return made;
    }
}
