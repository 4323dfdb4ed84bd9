// SPDX-License-Identifier: MIT
// Formulas for joints that follow others linearly or along curves (docs/couplings.md).

import type { Curve, Description, Follower, Joint } from "./description.ts";
import { brief } from "./dom.ts";

/** Formats a sum term by term, with signs between terms and without factors of one. */
class Sum {
    private text = "";

    add(factor: number, name = ""): void {
        if (factor === 0) return;
        const size = Math.abs(factor);
        const sign = this.text === "" ? (factor < 0 ? "−" : "") : factor < 0 ? " − " : " + ";
        this.text += sign + (name === "" ? brief(size, 6) : size === 1 ? name : `${brief(size, 6)} · ${name}`);
    }

    toString(): string { return this.text === "" ? "0" : this.text; }
}

function power(name: string, k: number): string {
    return k === 0 ? "" : k === 1 ? name : name + Array.from(String(k), (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
}

function addCurve(sum: Sum, curve: Curve): void {
    if (curve.type === "polynomial") curve.coefficients.forEach((c, k) => sum.add(c, power(curve.leader, k)));
    else if (curve.type === "sine") {
        const angle = new Sum();
        angle.add(curve.frequency, curve.leader);
        angle.add(curve.phase);
        sum.add(curve.amplitude, `sin(${angle})`);
    } else sum.add(1, `spline(${curve.leader}; ${curve.points} points, degree ${curve.degree}, ${curve.ends})`);
}

/** Returns a formula such as "= 2 · a + 0.1" for joints that are not determined by a loop. */
export function relationOf(about: Description, joint: Joint): string {
    const follower = about.followers[joint.follower];
    const sum = new Sum();
    if (follower) {
        sum.add(follower.offset);
        for (const curve of follower.curves) addCurve(sum, curve);
        return `= ${sum}`;
    }
    if (joint.terms > 1) return "combines several joints";
    const leader = about.joints[joint.leader];
    if (!leader || joint.terms !== 1) return "constant";
    sum.add(joint.multiplier, leader.name);
    sum.add(joint.offset);
    return `= ${sum}`;
}

/** Returns the ranges in which a joint's curves are valid; "" if they are unbounded. */
export function rangesOf(follower: Follower): string {
    const end = (x: number | null, none: string) => (x === null ? none : brief(x));
    return follower.curves
        .filter(({ type, ends, range }) => (type !== "spline" || ends !== "periodic") && range.some((x) => x !== null))
        .map(({ leader, range: [from, to] }) => `${leader} from ${end(from, "−∞")} to ${end(to, "∞")}`)
        .join("; ");
}
