// SPDX-License-Identifier: MIT
// The posture in the address: #y= and the independent coordinates. An address may come from anybody:
// what is no posture of this robot is left alone.

const MOST = 1e6; // rad, m: no posture is beyond

/** What stands behind "#" for y; numbers read back to the same bits. */
export function addressOf(y: ArrayLike<number>): string {
    return `y=${Array.from(y, (x) => String(x)).join(",")}`;
}

/** y of an address, of ny numbers; null where it has none. */
export function postureOf(hash: string, ny: number): Float64Array | null {
    const text = /^#?y=([-+.,\deE]*)$/.exec(hash.slice(0, 64 * (ny + 1)))?.[1];
    if (text === undefined || ny === 0) return null;
    const parts = text.split(",");
    const y = Float64Array.from(parts, (part) => (part === "" ? NaN : Number(part)));
    return y.length === ny && y.every((x) => Math.abs(x) <= MOST) ? y : null;
}
