// SPDX-License-Identifier: MIT
// Principal axes of a symmetric 3 × 3 matrix, by Jacobi rotations.

import type { Triple } from "./description.ts";

/** Returns the eigenvalues and the right-handed eigenvectors of xx, xy, xz, yy, yz, zz. */
export function symmetricAxes(s: number[]): { values: Triple; axes: [Triple, Triple, Triple] } {
    const [xx, xy, xz, yy, yz, zz] = s as [number, number, number, number, number, number];
    const a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for (let sweep = 0; sweep < 20; sweep++)
        for (const [p, q] of [[0, 1], [0, 2], [1, 2]] as const) {
            if (a[p]![q] === 0) continue;
            const theta = (a[q]![q]! - a[p]![p]!) / (2 * a[p]![q]!);
            const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
            const c = 1 / Math.hypot(t, 1);
            turn(a, p, q, c, t * c);
            turn(v, p, q, c, t * c, false);
        }
    const axes = [0, 1, 2].map((k) => [v[0]![k]!, v[1]![k]!, v[2]![k]!] as Triple) as [Triple, Triple, Triple];
    return { values: [a[0]![0]!, a[1]![1]!, a[2]![2]!], axes };
}

/** Sets m to m J, or to Jᵀ m J if both. */
function turn(m: number[][], p: number, q: number, c: number, s: number, both = true): void {
    for (let k = 0; k < 3; k++) {
        const x = m[k]![p]!, y = m[k]![q]!;
        m[k]![p] = c * x - s * y;
        m[k]![q] = s * x + c * y;
    }
    if (!both) return;
    for (let k = 0; k < 3; k++) {
        const x = m[p]![k]!, y = m[q]![k]!;
        m[p]![k] = c * x - s * y;
        m[q]![k] = s * x + c * y;
    }
}
