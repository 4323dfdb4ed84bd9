// SPDX-License-Identifier: MIT
// Prints test results as TAP, and compares vectors. With ONLY=TEXT in the environment, runs only tests
// whose names contain TEXT.

let count = 0, failed = 0;

/** Runs a test, which throws on failure. Its result is printed after its name. */
export async function test(name, body) {
    if (process.env.ONLY && !name.includes(process.env.ONLY)) return;
    count++;
    const number = count;
    try {
        const note = await body();
        console.log(`ok ${number} - ${name}${note ? ` (${note})` : ""}`);
    } catch (error) {
        failed++;
        console.log(`not ok ${number} - ${name}`);
        console.log(`# ${String(error.stack ?? error).replaceAll("\n", "\n# ")}`);
    }
}

export function plan() {
    console.log(`1..${count}`);
    process.exitCode = failed > 0 ? 1 : 0;
}

export function skipAll(why) {
    console.log(`1..0 # SKIP ${why}`);
}

/** Returns the largest difference relative to the largest number, or infinity if the lengths differ. */
export function differs(a, b) {
    if (a.length !== b.length) return Infinity;
    let difference = 0, size = 1e-300;
    for (let i = 0; i < a.length; i++) {
        difference = Math.max(difference, Math.abs(a[i] - b[i]));
        size = Math.max(size, Math.abs(b[i]));
        if (Number.isNaN(a[i] - b[i])) return Infinity;
    }
    return a.length === 0 ? 0 : difference / size;
}
