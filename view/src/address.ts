// SPDX-License-Identifier: MIT
// The posture in the address: #y= and the independent coordinates. Addresses are untrusted input:
// anything that is not a posture of this robot is ignored.

const MOST = 1e6; // rad, m: largest accepted coordinate

/** Returns the text after "#" for y. Its numbers parse to the same bits. */
export function addressOf(y: ArrayLike<number>): string {
    return `y=${Array.from(y, (x) => String(x)).join(",")}`;
}

/** Returns the ny numbers of y in an address, or null if it has none. */
export function postureOf(hash: string, ny: number): Float64Array | null {
    const text = /^#?y=([-+.,\deE]*)$/.exec(hash.slice(0, 64 * (ny + 1)))?.[1];
    if (text === undefined || ny === 0) return null;
    const parts = text.split(",");
    const y = Float64Array.from(parts, (part) => (part === "" ? NaN : Number(part)));
    return y.length === ny && y.every((x) => Math.abs(x) <= MOST) ? y : null;
}
