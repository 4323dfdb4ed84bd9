// SPDX-License-Identifier: MIT
// Compares tandem in WebAssembly with the command: torques, accelerations, γ, G, poses and energies of
// all bundled robots agree to a relative 1e-12, or to rounding if loops or the mass matrix are nearly
// singular. Also tests tables, links of diagnostics and principal axes.
// TAP:  node core.mjs SOURCE MODULES WASM TANDEM ROBOTS

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { meshes } from "./shapes.mjs";
import { differs, plan, test } from "./tap.mjs";

const [source, modules, wasm, tandem, robots] = process.argv.slice(2).map((p) => resolve(p));
const scratch = mkdtempSync(join(tmpdir(), "tandem-view-"));

async function load(name) {
    const esbuild = createRequire(join(modules, "any.js"))("esbuild");
    const outfile = join(scratch, `${name}.mjs`);
    await esbuild.build({ entryPoints: [join(source, `src/${name}.ts`)], bundle: true, format: "esm", outfile, platform: "node", logLevel: "error",
        tsconfigRaw: "{}" });
    return import(pathToFileURL(outfile).href);
}

const command = (...words) => JSON.parse(execFileSync(tandem, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 26 }));
const namesOf = (closure) => ({ y: closure.y_names, yd: closure.yd_names, q: closure.q_names, qd: closure.qd_names });

/** Returns the data that `tandem view` writes into a page. */
function pageData(file, ...words) {
    const html = execFileSync(tandem, ["view", "-o", "-", ...words, file], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });
    return JSON.parse(/id="tandem-data">(.*?)<\/script>/s.exec(html)[1]);
}

/** Returns names of forces. Ball and floating joints have different ones: ".mx" for ".wx", ".fx" for ".vx". */
const forceName = (velocity) => velocity.replace(/\.w(?=[xyz]$)/, ".m").replace(/\.v(?=[xyz]$)/, ".f");

let seed = 1;
const random = () => {
    seed = (seed * 48271) % 2147483647; // Park and Miller
    return (2 * seed) / 2147483647 - 1;
};

/** Returns a state near the reference: y within limits and with closed loops, ẏ, ÿ and τ. */
function someState(robot) {
    const { about } = robot;
    robot.reset();
    const target = Float64Array.from(robot.y);
    for (const joint of about.joints.filter((j) => j.ny === 1 && !j.dependent)) {
        const { lower, upper } = joint.effective;
        const value = target[joint.y] + (about.loops.length > 0 ? 0.1 : 0.8) * random();
        target[joint.y] = Math.min(Math.max(value, lower ?? -Infinity), upper ?? Infinity);
    }
    robot.moveTo(target);
    for (const name of ["yd", "ydd"]) robot.array(name).forEach((_, i, x) => (x[i] = random()));
}

const { Robot } = await load("core");
const binary = readFileSync(wasm);
const list = (x) => Array.from(x).join(",");

for (const file of readdirSync(robots).filter((f) => f.endsWith(".urdf")).sort()) {
    const path = join(robots, file);
    const robot = await Robot.load(binary, pageData(path).model);
    const { about } = robot;
    const names = namesOf(command("closure", "--json", path));
    const stiff = file === "flexible_arm.urdf" ? 1e-11 : 0; // κ(H) = 4e4 with a diagonal of ones
    let worst = 0, tolerance = 1e-12;
    const compare = (what, ours, theirs, least = 0) => {
        const error = differs(ours, theirs);
        worst = Math.max(worst, error);
        if (!(error < Math.max(tolerance, least))) throw new Error(`${what} differs by ${error}`);
    };
    await test(`${file}: the numbers of the command`, () => {
        for (let k = 0; k < 3; k++) {
            someState(robot);
            const y = Float64Array.from(robot.y);
            const state = ["-q", list(y), "--qd", list(robot.array("yd"))];
            const closure = command("closure", "--json", "-q", list(y), path);
            const condition = closure.closure?.condition ?? 1;
            tolerance = Math.max(1e-12, Number.EPSILON * condition * condition); // rounding errors: ε κ in γ, ε κ² in G
            robot.inverseDynamics();
            const tau = Float64Array.from(robot.array("tau"));
            const id = command("id", "--json", ...state, "--qdd", list(robot.array("ydd")), path);
            compare("torques", tau, names.yd.map((n) => id.tau[forceName(n)]));
            robot.array("tau").forEach((_, i, x) => (x[i] = Math.fround(random())));
            const fd = command("fd", "--json", ...state, "--tau", list(robot.array("tau")), path);
            robot.forwardDynamics();
            compare("accelerations", robot.array("ydd"), names.yd.map((n) => fd.qdd[n]), stiff);
            robot.update();
            compare("q", robot.q, names.q.map((n) => closure.q[n]));
            compare("G", robot.array("G"), closure.G.flat());
            const poses = command("fk", "--json", "-q", list(y), path).links;
            const positions = about.links.flatMap((_, i) => [3, 7, 11].map((r) => robot.array("poses")[12 * i + r]));
            compare("positions", positions, about.links.flatMap((l) => poses[l.name].position));
            const energy = command("energy", "--json", ...state, path);
            compare("energies", robot.array("energy").subarray(0, 2), [energy.kinetic, energy.potential]);
            if (!(robot.residual < 1e-9)) throw new Error(`residual ${robot.residual}`);
        }
        return `to ${worst.toExponential(1)}`;
    });
}

// ---- initial state of the page ----

await test("gravity, payloads and the start are those that the page is given, in motions too", async () => {
    const moon = await loadRobot("arm7");
    moon.moveTo(Float64Array.from(moon.y, (_, k) => 0.1 * k + 0.2));
    const earth = Array.from(moon.array("tau"));
    moon.array("gravity").set([0.3, 0, -1.62]);
    if (moon.setLoads()) throw new Error("gravity is refused");
    const id = command("id", "--json", "--gravity", "0.3,0,-1.62", "-q", list(moon.y), join(robots, "arm7.urdf"));
    const error = differs(moon.array("tau"), Object.values(id.tau));
    if (!(error < 1e-12) || differs(moon.array("tau"), earth) < 0.1) throw new Error(`torques differ by ${error}`);
    moon.array("gravity").fill(NaN);
    if (!moon.setLoads()) throw new Error("NaN is taken");
    // a free body falls with the acceleration of gravity, and its weight includes its payload
    const free = await loadRobot("humanoid", "--base", "floating");
    const base = free.about.joints.find((j) => j.quaternion > 0);
    const link = free.about.links.findIndex((l) => l.name === "right_hand");
    free.array("payloads").set([5, 0.01, 0, 0, 0, 0, 0, 0, 0, 0], 10 * link);
    free.array("gravity").set([0, 0, -2]);
    free.setLoads();
    const weight = free.array("tau")[base.yd + 5];
    if (Math.abs(weight / (2 * (free.about.mass + 5)) - 1) > 1e-12) throw new Error(`it weighs ${weight}`);
    free.play(false, false);
    free.advance(0.5, Infinity);
    const speed = free.array("yd")[base.yd + 5], fallen = free.time;
    free.stop();
    if (!(Math.abs(speed / (-2 * fallen) - 1) < 1e-6)) throw new Error(`it falls at ${speed}`);
    free.array("payloads").fill(0);
    free.setLoads();
    free.reset();
    if (Math.abs(free.array("tau")[base.yd + 5] / (2 * free.about.mass) - 1) > 1e-12) throw new Error("the payload stays");
    // another branch of the loop
    const bar = await loadRobot("four_bar");
    const there = bar.about.joints.find((j) => !j.dependent && j.ny === 1).y;
    const target = Float64Array.from(bar.y);
    target[there] += 0.4;
    bar.moveTo(target);
    const q = Array.from(bar.q);
    bar.reset();
    if (bar.setStart(q) || differs(bar.q, q) > 1e-12) throw new Error(`it begins at ${bar.q}`);
    bar.moveTo(Float64Array.from(bar.y, (x) => x - 0.1));
    bar.reset();
    if (differs(bar.q, q) > 1e-12) throw new Error("it does not come back");
});

/** Loads a robot as the page does, with posture, payloads and wrenches given as options of the command. Returns it and its path. */
async function loaded(name, words) {
    const path = join(robots, `${name}.urdf`), { model, state } = pageData(path, ...words), robot = await Robot.load(binary, model);
    state.payloads.forEach(({ link, mass, com, inertia }) => robot.array("payloads").set([mass, ...com, ...inertia], 10 * link));
    state.wrenches.forEach(({ link, force, moment, point }, n) => robot.array("wrenches").set([link + 1, ...force, ...moment, ...point], 10 * n));
    const failed = robot.setLoads() ?? robot.setBegin(state.y, state.yd);
    if (failed) throw new Error(failed);
    return { robot, path };
}

for (const [name, link, other, posture] of [["arm7", "link_5", "tool", "joint_2=0.5,joint_4=-70deg"], ["stewart", "platform", "platform", ""], ["hand_b", "", "", ""]])
    await test(`${name}: posture, payloads and wrenches of the command are those of its page`, async () => {
        const links = (await loadRobot(name)).about.links.filter((l) => l.mass > 0).map((l) => l.name);
        const [first, second] = [links.includes(link) ? link : links.at(-1), links.includes(other) ? other : links.at(-2)];
        const words = [...(posture ? ["-q", posture] : []), "--payload", `${first}=2@0.01,0.02,0.03,0.1,0.2,0.25,0.01,0,0.02`,
            "--wrench", `${first}=force:3,-4,5,moment:0.1,0.2,0.3,point:0.1,-0.05,0.2`, "--wrench", `${first}=0,1,0@0,0,1`, "--wrench", `${second}=1,2,-7`];
        const begin = posture ? words : ["-q", list((await loadRobot(name)).y), ...words];
        const { robot, path } = await loaded(name, begin);
        const id = command("id", "--json", "--reactions", ...begin, path), names = namesOf(command("closure", "--json", path));
        const torques = differs(robot.array("tau"), names.yd.map((n) => id.tau[forceName(n)]));
        if (robot.reactions() !== 0) throw new Error("no reactions");
        const carried = robot.about.joints.flatMap((_, k) => Array.from(robot.array("reactions").subarray(6 * k + 3, 6 * k + 6)));
        const sum = (x) => Math.hypot(...x); // the command's are in link axes
        const forces = robot.about.joints.map((_, k) => sum(carried.slice(3 * k, 3 * k + 3)));
        const expected = robot.about.joints.map((j) => sum(id.reactions[j.name].force));
        const fd = command("fd", "--json", ...begin, path);
        robot.array("tau").fill(0);
        robot.forwardDynamics();
        const accelerations = differs(robot.array("ydd"), names.yd.map((n) => fd.qdd[n]));
        robot.reset();
        if (!(torques < 1e-12 && accelerations < 1e-9)) throw new Error(`torques ${torques}, accelerations ${accelerations}`);
        if (!(differs(forces, expected) < 1e-10)) throw new Error(`forces ${forces}, not ${expected}`);
        return `to ${torques.toExponential(1)}, ${accelerations.toExponential(1)}`;
    });

await test("wrenches push a robot that is let go as they push a simulated one", async () => {
    const words = ["-q", "joint_2=0.5,joint_4=-70deg", "--qd", "joint_1=1", "--wrench", "link_5=force:3,-4,5,moment:0.1,0.2,0.3,point:0.1,-0.05,0.2", "--payload", "tool=1@0,0,0.1"];
    const { robot, path } = await loaded("arm7", words);
    robot.play(false, false, 1e-9);
    while (robot.time < 0.3) if (robot.advance(0.3)) throw new Error("it ends");
    const csv = execFileSync(tandem, ["simulate", "--no-passive", "--time", "0.3", "--rate", "10", ...words, path], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [heading, ...rows] = csv.trim().split("\n").map((line) => line.split(","));
    const last = rows.at(-1).map(Number), expected = heading.flatMap((h, k) => (h.startsWith("q:") ? [last[k]] : []));
    const error = differs(robot.y, expected);
    robot.stop();
    robot.reset();
    if (robot.array("yd")[0] !== 1) throw new Error("it does not begin with its velocity");
    if (!(error < 1e-7)) throw new Error(`y differs by ${error}`);
    return `to ${error.toExponential(1)}`;
});

// ---- simulation in real time ----

const SECONDS = 2;
/** Simulates a robot like the page for some seconds. Returns the speed relative to real time, and the counts. */
function letGo(robot) {
    robot.reset();
    const failed = robot.play(true, true, 1e-4, 0.1), begin = performance.now(); // play.ts
    if (failed) throw new Error(failed);
    for (let frame = 1; frame <= 60 * SECONDS; frame++) while (robot.time < frame / 60 - 1e-12) if (robot.advance(frame / 60)) throw new Error(`it ends at ${robot.time} s`);
    const factor = SECONDS / ((performance.now() - begin) / 1000), [steps, evaluations, stiff] = robot.array("counts");
    robot.stop();
    return { factor, steps, evaluations, stiff };
}
const told = ({ factor, steps, stiff }) => `${factor.toPrecision(2)} × real time, ${steps} steps, ${stiff} stiff`;

for (const name of ["arm7", "hand_b", "four_bar", "stewart", "humanoid"])
    await test(`${name}: let go for ${SECONDS} s in frames of 1/60 s`, async () => told(letGo(await loadRobot(name))));

await test("a hand of tiny links with friction takes the stiff method", async () => {
    // like the Shadow hand: five fingers of four joints, links of 20 g, friction much larger than their weight
    const finger = (n) => Array.from({ length: 4 }, (_, k) => `<link name="f${n}l${k}"><inertial><origin xyz="0 0 0.015"/><mass value="0.02"/>
<inertia ixx="2e-6" ixy="0" ixz="0" iyy="2e-6" iyz="0" izz="1e-6"/></inertial></link><joint name="f${n}j${k}" type="revolute"><parent link="${k ? `f${n}l${k - 1}` : "palm"}"/>
<child link="f${n}l${k}"/><origin xyz="${k ? 0 : 0.022 * n} 0 ${k ? 0.03 : 0.09}" rpy="${k ? 0 : 0.3} 0 0"/><axis xyz="${k ? "1 0 0" : "0 1 0"}"/><limit lower="-0.5" upper="1.6" effort="2" velocity="2"/>
<dynamics damping="0.1" friction="0.01"/></joint>`).join("");
    const path = join(scratch, "friction.urdf");
    writeFileSync(path, `<robot name="friction"><link name="palm"/>${[0, 1, 2, 3, 4].map(finger).join("")}</robot>`);
    const taken = letGo(await Robot.load(binary, pageData(path).model));
    if (!(taken.stiff > 0.5 * taken.steps && taken.steps < 1000)) throw new Error(told(taken));
    return told(taken);
});

// ---- dragging ----

/** Returns a point of a link in world coordinates. */
function pointAt(robot, link, point) {
    const P = robot.array("poses").subarray(12 * link, 12 * link + 12);
    return [0, 4, 8].map((r) => P[r] * point[0] + P[r + 1] * point[1] + P[r + 2] * point[2] + P[r + 3]);
}

async function loadRobot(name, ...words) {
    return Robot.load(binary, pageData(join(robots, `${name}.urdf`), ...words).model);
}

await test("a drag leaves pinned links and held coordinates where they are, and a floating base follows then", async () => {
    const robot = await loadRobot("humanoid", "--base", "floating");
    const { links, joints } = robot.about;
    const [foot, hand] = ["left_foot", "right_hand"].map((name) => links.findIndex((l) => l.name === name));
    const held = joints.find((j) => j.name === "right_elbow");
    robot.array("pinned")[foot] = 1;
    robot.array("held")[held.yd] = 1;
    const before = Array.from(robot.array("poses")), y = Array.from(robot.y);
    const goal = pointAt(robot, hand, [0, 0, 0]).map((x, k) => x + [0.1, -0.05, -0.04][k]);
    if (robot.beginDrag(hand, [0, 0, 0])) throw new Error("it does not begin");
    let left = 1, calls = 0, slowest = 0;
    for (; calls < 60 && left > 1e-6; calls++) {
        const begin = performance.now();
        left = robot.drag(goal);
        slowest = Math.max(slowest, performance.now() - begin);
    }
    robot.endDrag();
    const foots = (p) => p.slice(12 * foot, 12 * foot + 12);
    const away = differs(foots(Array.from(robot.array("poses"))), foots(before));
    if (!(left < 1e-5) || !(away < 1e-5) || robot.y[held.y] !== y[held.y]) throw new Error(`left ${left} after ${calls}, pinned ${away}, ${robot.y[held.y]} was ${y[held.y]}`);
    robot.array("pinned").fill(0);
    robot.beginDrag(hand, [0, 0, 0]);
    const base = joints.find((j) => j.quaternion > 0);
    const at = Array.from(robot.y.slice(base.y, base.y + 7));
    robot.drag(goal.map((x) => x - 0.05));
    if (differs(Array.from(robot.y.slice(base.y, base.y + 7)), at) !== 0) throw new Error("the base moves without pins");
    return `${left.toExponential(1)} m left after ${calls} steps, ${slowest.toFixed(2)} ms at most, pinned to ${away.toExponential(1)}`;
});

await test("a drag beyond the reach does not jump, and comes back", async () => {
    const robot = await loadRobot("arm7");
    robot.moveTo(Float64Array.from(robot.y, (x, k) => x + 0.3 + 0.05 * k));
    const tip = robot.about.links.length - 1, from = pointAt(robot, tip, [0, 0, 0]);
    robot.beginDrag(tip, [0, 0, 0]);
    let last = Array.from(robot.y), most = 0, left = 0;
    for (let k = 0; k <= 200; k++) { // 1 m out and back in 200 pointer movements
        const part = 1 - Math.abs(k / 100 - 1);
        left = robot.drag([from[0] + 1.0 * part, from[1], from[2] + 0.6 * part]);
        most = Math.max(most, ...last.map((x, i) => Math.abs(x - robot.y[i])));
        last = Array.from(robot.y);
    }
    if (!(left < 1e-5 && most < 0.5)) throw new Error(`${left} m left, a step of ${most}`);
    return `steps of ${most.toFixed(2)} rad at most`;
});

await test("milliseconds of a step of a drag", async () => {
    const said = [];
    for (const name of ["humanoid", "stewart", "arm7", "hand_b"]) {
        const robot = await loadRobot(name);
        const link = robot.about.links.findLastIndex((l) => l.body >= 0 && l.mass > 0);
        const from = pointAt(robot, link, [0, 0, 0]);
        robot.beginDrag(link, [0, 0, 0]);
        const times = [];
        for (let k = 0; k < 200; k++) {
            const begin = performance.now();
            robot.drag(from.map((x, i) => x + 0.01 * Math.sin(0.06 * k + i)));
            times.push(performance.now() - begin);
        }
        times.sort((a, b) => a - b);
        said.push(`${name} ${times[100].toFixed(2)}, at most ${times[199].toFixed(2)}`);
    }
    return said.join("; ");
});

// ---- search for meshes ----

/** Writes files below scratch; returns the path of a file there. */
function writeFiles(files) {
    for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(scratch, name)), { recursive: true });
        writeFileSync(join(scratch, name), content);
    }
}
const withMeshes = (...names) => `<robot name="m">${names.map((file, i) => `<link name="l${i}"><visual><geometry><mesh filename="${file}"/></geometry></visual></link>`).join("")}
${names.slice(1).map((_, i) => `<joint name="j${i}" type="fixed"><parent link="l${i}"/><child link="l${i + 1}"/></joint>`).join("")}</robot>`;
/** Returns the names of the meshes found, and the reasons for the others. */
function meshesOf(file, words = [], environment = {}) {
    const kept = { ...process.env };
    for (const name of ["ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"]) delete process.env[name];
    Object.assign(process.env, environment);
    try {
        return pageData(join(scratch, file), ...words);
    } finally {
        for (const name of Object.keys(process.env)) if (!(name in kept)) delete process.env[name];
        Object.assign(process.env, kept);
    }
}
function expectFound(data, names) {
    const found = Object.keys(data.meshes);
    if (found.sort().join() !== [...names].sort().join()) throw new Error(`found ${found}; ${data.left_out.map((l) => `${l.file}: ${l.why}`).join("; ")}`);
}
const stl = meshes["box.stl"];

await test("meshes: beside, ../meshes, folders that hold the robot, with and without the name of the package", () => {
    const names = ["a.stl", "../meshes/b.stl", "./../meshes/sub/../b.stl", "package://arm_description/meshes/b.stl", "package:///meshes/b.stl",
        "package://other_description/meshes/c.stl", "model://arm_description/meshes/b.stl", "meshes/b.stl", `file://${scratch}/ws/arm_description/urdf/a.stl`];
    writeFiles({ "ws/arm_description/urdf/r.urdf": withMeshes(...names), "ws/arm_description/urdf/a.stl": stl, "ws/arm_description/meshes/b.stl": stl,
        "ws/other_description/meshes/c.stl": stl });
    expectFound(meshesOf("ws/arm_description/urdf/r.urdf"), names);
});

await test("meshes: --package, also without a name, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and --mesh-root", () => {
    writeFiles({ "lone/r.urdf": withMeshes("package://p/m.stl", "package:///n.stl", "x/o.stl", `${scratch}/far/x/o.stl`),
        "far/p/m.stl": stl, "far/n.stl": stl, "far/x/o.stl": stl, "ament/share/p/m.stl": stl, "wrong/m.stl": stl });
    const far = join(scratch, "far");
    const cases = [
        [["--package", `p=${far}/p`], {}, ["package://p/m.stl"]],
        [["--package", `=${far}`], {}, ["package:///n.stl", `${scratch}/far/x/o.stl`]],
        [[], { ROS_PACKAGE_PATH: `relative::/nowhere:${far}` }, ["package://p/m.stl"]],
        [[], { ROS_PACKAGE_PATH: `${far}/p` }, ["package://p/m.stl"]],
        [[], { AMENT_PREFIX_PATH: `/nowhere:${scratch}/ament` }, ["package://p/m.stl"]],
        [["--mesh-root", far], {}, ["package://p/m.stl", "package:///n.stl", "x/o.stl", `${scratch}/far/x/o.stl`]],
        // a folder given for a package is the only one searched
        [["--package", `p=${far}/x`], { ROS_PACKAGE_PATH: far }, [`${scratch}/far/x/o.stl`]],
    ];
    for (const [words, environment, names] of cases) expectFound(meshesOf("lone/r.urdf", words, environment), names);
});

await test("meshes: nothing from elsewhere by links, .., ROS's paths or the network", () => {
    const up = "../".repeat(12);
    const names = [`${up}${scratch.slice(1)}/secret/s.stl`, "meshes/link.stl", "linked/s.stl", "package://p/../secret/s.stl", "package://../secret/s.stl",
        "package://p/link.stl", "package://./s.stl", `${scratch}/secret/s.stl`, `file://${scratch}/secret/s.stl`, "file:secret/s.stl", "http://localhost/s.stl",
        "package://q/s.stl", "meshes", "s.stl.txt", ""];
    writeFiles({ "deep/1/2/3/4/r/r.urdf": withMeshes(...names), "secret/s.stl": stl, "deep/1/2/3/4/r/meshes/own.stl": stl, "ros/p/own.stl": stl });
    symlinkSync(join(scratch, "secret/s.stl"), join(scratch, "deep/1/2/3/4/r/meshes/link.stl"));
    symlinkSync(join(scratch, "secret"), join(scratch, "deep/1/2/3/4/r/linked"));
    symlinkSync(join(scratch, "secret/s.stl"), join(scratch, "ros/p/link.stl"));
    symlinkSync(join(scratch, "secret"), join(scratch, "ros/q"));
    const data = meshesOf("deep/1/2/3/4/r/r.urdf", ["--mesh-root", join(scratch, "ros")], { ROS_PACKAGE_PATH: join(scratch, "ros") });
    expectFound(data, []);
    // home folders and world-writable folders are not searched
    writeFiles({ "home/robots/r.urdf": withMeshes("../m.stl", "package://x/m.stl"), "home/m.stl": stl, "home/x/m.stl": stl });
    expectFound(meshesOf("home/robots/r.urdf", [], { HOME: join(scratch, "home") }), []);
    expectFound(meshesOf("home/robots/r.urdf"), ["../m.stl", "package://x/m.stl"]);
    chmodSync(join(scratch, "home"), 0o777);
    expectFound(meshesOf("home/robots/r.urdf"), []);
});

// ---- tables of motion ----

/** Returns a NumPy file with rows of numbers, or with records if names are given. */
function npy(rows, names) {
    const kind = names ? `[${names.map((n) => `('${n}', '<f8')`).join(", ")}]` : "'<f8'";
    const heading = `{'descr': ${kind}, 'fortran_order': False, 'shape': (${rows.length}, ${names ? "" : rows[0].length}), }\n`;
    const length = Buffer.alloc(2);
    length.writeUInt16LE(heading.length);
    return Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), length, Buffer.from(heading), Buffer.from(Float64Array.from(rows.flat()).buffer)]);
}

{
    const file = join(robots, "gripper.urdf"), robot = await Robot.load(binary, pageData(file).model);
    const [name] = robot.about.positions.filter((p) => p.entry >= 0).map((p) => robot.about.joints[p.joint].name);
    const forms = {
        "simulate's": ["a.csv", `t,q:${name},qd:${name},energy,event\r\n0,0.1,,1,x\r\n0.5,0.2,3,2,\r\n`],
        "units, time, a joint alone": ["b.csv", `# a comment\ntime [ms],${name} [deg],F [N]\n0,10,1\n\n500,20,nan\n`],
        "semicolons, decimal commas and quotes": ["c.csv", `"t";"q:${name}";"a ""b""; c"\n0;0,125;1\n0,5;"0,25";2\n`],
        "tabs, without times": ["d.tsv", `q:${name}\tx\n0.1\t1\n0.2\t2\n`],
        "a byte order mark": ["e.csv", `\ufefft,q:${name}\n0,1\n1,2\n`],
        "an array with names": ["f.npy", npy([[0, 0.1, 5], [1, 0.2, 6]], ["t", `q:${name}`, "work"])],
        "an array of y": ["g.npy", npy([[0.1], [0.2], [0.3]])],
    };
    const wrong = {
        "times": ["h.csv", `t,q:${name}\n0,1\n2,1\n1,1\n`], "no number": ["i.csv", `t,q:${name}\n0,1\n1,x\n`], "fields": ["j.csv", `t,q:${name}\n0,1,2\n`],
        "a joint": ["k.csv", `t,q:${name}x\n0,1\n`], "a unit": ["l.csv", `t,q:${name} [mm]\n0,1\n`], "no position": ["m.csv", "t,x\n0,1\n"],
        "no rows": ["n.csv", `t,q:${name}\n`], "nothing": ["o.csv", ""], "a quotation mark": ["p.csv", `t,q:${name}\n0,"1\n`],
        "a mark in a field": ["q.csv", `t,q:${name}\n0,1"2\n`], "text behind a mark": ["q.csv", `t,q:${name}\n0,"1" "2"\n`],
        "an array cut off": ["r.npy", npy([[0.1], [0.2]]).subarray(0, -8)], "no array": ["s.npy", "t"],
        "a markup's name": ["<b>.csv", "x\n1\n"],
    };
    for (const [form, [path, text]] of Object.entries(forms))
        await test(`tables: ${form}, as the command reads them`, () => {
            writeFileSync(join(scratch, path), text);
            const own = robot.readMotion(path, Buffer.from(text)), { motion } = pageData(file, "--motion", join(scratch, path));
            const written = robot.readMotion("motion", Buffer.from(motion.text), true);
            const same = (a, b) => a.length === b.length && a.every((x, i) => Object.is(x, b[i]));
            if (own.rows < 2 || own.columns.join("|") !== written.columns.join("|")) throw new Error(`${own.columns}, not ${written.columns}`);
            if (!own.values.every((v, k) => same(v, written.values[k]))) throw new Error("values");
            const at = own.columns.indexOf(`q:${name}`), expected = { "b.csv": [Math.PI / 18, Math.PI / 9], "c.csv": [0.125, 0.25], "e.csv": [1, 2] }[path] ?? [0.1, 0.2];
            if (differs(Array.from(own.values[at]).slice(0, 2), expected) > 1e-15) throw new Error(`${own.values[at]}`);
            return own.columns.join(" ");
        });
    for (const [what, [path, text]] of Object.entries(wrong))
        await test(`tables: ${what}: what is wrong is said as the command says it`, () => {
            writeFileSync(join(scratch, path), text);
            const said = spawnSync(tandem, ["view", "-o", "-", "--motion", path, file], { encoding: "utf8", cwd: scratch, maxBuffer: 1 << 28 });
            let own = "nothing";
            try {
                robot.readMotion(path, Buffer.from(text));
            } catch (error) {
                own = error.message;
            }
            const lines = said.stderr.trim().split("\n").filter((line) => line.includes(path)).map((line) => line.replace(/^tandem: /, "")).join("\n");
            if (said.status === 0 || own !== lines) throw new Error(`${own}, not ${lines}`);
            return own;
        });
}

const { addressOf, postureOf } = await load("address");
await test("postures of addresses, and what is none", () => {
    const y = [0.1, -1 / 3, 1e-300, -0, 123456.789e-7];
    const again = postureOf(`#${addressOf(y)}`, 5);
    if (!again || !y.every((x, i) => x === again[i])) throw new Error(`${again}`);
    for (const text of ["", "#", "#y", "#y=", "#y=1,2", "#y=1,2,3,4,5,6", "#y=1,2,3,4,", "#y=1,2,3,4,1e7", "#y=1,2,3,4,Infinity", "#y=1,2,3,4,1e999", "#y=1,2,3,4,e", "#y=1,2,3,4,--1",
        "#y= 1,2,3,4,5", "#x=1,2,3,4,5", `#y=${",".repeat(1e6)}`])
        if (postureOf(text, 5)) throw new Error(text.slice(0, 30));
    if (postureOf("#y=", 0)) throw new Error("of a robot that does not move");
});

const { symmetricAxes } = await load("eigen");
await test("principal axes of symmetric matrices", () => {
    for (let k = 0; k < 100; k++) {
        const s = [1 + random(), random(), random(), 1 + random(), random(), k % 5 ? 1 + random() : 1e-9];
        const { values, axes } = symmetricAxes(s);
        const rows = [[s[0], s[1], s[2]], [s[1], s[3], s[4]], [s[2], s[4], s[5]]];
        axes.forEach((v, i) => {
            const residual = rows.map((row, r) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2] - values[i] * v[r]);
            if (Math.hypot(...residual) > 1e-13) throw new Error(`axis ${i}: ${residual}`);
        });
    }
});

const { linkOf } = await load("diagnostics");
await test("the link of a diagnostic", () => {
    const about = { links: [{ name: "a" }, { name: "it's" }], joints: [{ name: "j", child: 1 }], loops: [{ name: "l", predecessor: 0 }], couplings: [] };
    const cases = { "/robot/link[@name='a']/inertial": 0, "/robot/link[@name='it's']": 1, "/robot/joint[@name='j']/axis": 1, "/robot/loop[@name='l']": 0, "/robot": -1 };
    for (const [path, link] of Object.entries(cases)) if (linkOf(about, path) !== link) throw new Error(path);
});

rmSync(scratch, { recursive: true });
plan();
