// SPDX-License-Identifier: MIT
// Tests live pages between Python and a headless browser: robot.viewer(), and pages of a notebook, whose server this test
// simulates. Prints TAP; skips without chromium:
//     node live.mjs PYTHON ROBOTS

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { startChromium } from "./chromium.mjs";
import { differs, plan, skipAll, test } from "./tap.mjs";

const [python, robots] = [process.argv[2], resolve(process.argv[3])];
const browser = await startChromium();
if (!browser) {
    skipAll("there is no chromium");
    process.exit(0);
}
const scratch = mkdtempSync(join(tmpdir(), "tandem-live-"));
const need = (good, what) => {
    if (!good) throw new Error(what);
};

/** A Python process that evaluates one expression per line. */
class Python {
    constructor(text) {
        this.child = spawn(python, ["-c", `${text}\nimport json, sys\nfor line in sys.stdin: print(json.dumps(eval(line), default=bool), flush=True)`], { stdio: ["pipe", "pipe", "inherit"] });
        this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    }

    async ask(expression) {
        this.child.stdin.write(`${expression}\n`);
        const { value, done } = await this.lines.next();
        if (done) throw new Error(`Python has ended at ${expression}`);
        return JSON.parse(value);
    }

    async until(expression, seconds = 20) {
        for (const end = Date.now() + 1000 * seconds; Date.now() < end; ) {
            if (await this.ask(expression)) return;
            await new Promise((go) => setTimeout(go, 20));
        }
        throw new Error(`never: ${expression}`);
    }
}

const SERVER = (robot) => `
import time, numpy as np, tandem
viewer = tandem.load(${JSON.stringify(join(robots, `${robot}.urdf`))}).viewer(open=False)
def stream(seconds):
    begin, count = time.monotonic(), 0
    while time.monotonic() < begin + seconds:
        viewer.y = np.full(len(viewer.y), 0.5 * np.sin(3 * (time.monotonic() - begin)))
        count += 1
        time.sleep(0.001)
    return count`;
const state = "({ y: Array.from(tandem.robot.y), q: Array.from(tandem.robot.q), residual: tandem.robot.residual })";
const ready = "document.documentElement.dataset.state === 'ready'";
const slide = (index, part) => `(() => {
    const slider = document.querySelectorAll('#independent input[type=range]')[${index}];
    slider.value = Number(slider.min) + ${part} * (Number(slider.max) - Number(slider.min));
    slider.dispatchEvent(new Event('input', { bubbles: true }));
})()`;

/** Runs body with the page served by Python, open in a browser. */
const onServer = (name, robot, body, script = "") => test(name, async () => {
    const server = new Python(SERVER(robot));
    const tab = await browser.open(await server.ask("viewer.url"), { online: true, script });
    try {
        await tab.until(ready, 40, 1);
        await server.until("viewer.wait(0) and viewer.pages == 1");
        const note = await body(server, tab);
        need(tab.errors.length === 0, `console: ${tab.errors.join("; ")}`);
        return note;
    } finally {
        await tab.close();
        server.child.stdin.end();
    }
});

await onServer("Python moves the robot in the page, 30 times a second and more, and it ends where it was set last", "arm7", async (server, tab) => {
    await tab.run("(() => { const live = tandem.live, frame = live.frame.bind(live); window.shown = 0; live.frame = () => { const moved = frame(); window.shown += moved; return moved; }; })()", 1);
    const set = await server.ask("stream(3)");
    await server.ask("setattr(viewer, 'y', np.arange(7) / 10)");
    await tab.until("Math.abs(tandem.robot.y[6] - 0.6) < 1e-15", 10, 1);
    need(differs((await tab.run(state, 1)).y, [0, 1, 2, 3, 4, 5, 6].map((k) => k / 10)) === 0, "it is elsewhere");
    const shown = await tab.run("window.shown", 1);
    need(shown > 3 && shown < set, `${shown} frames`);
    return `${set} set, ${(shown / 3).toFixed(0)} frames a second`;
}, "HTMLCanvasElement.prototype.getContext = () => null;"); // rendering is not tested here

await onServer("a slider moves y of Python, which says that it is held", "gripper", async (server, tab) => {
    await tab.run("window.dispatchEvent(new Event('pointerdown'))", 1);
    await tab.run(slide(0, 0.4), 1);
    await server.until("viewer.held");
    const { y } = await tab.run(state, 1);
    need(y[0] > 0.1 && differs(await server.ask("viewer.y.tolist()"), y) === 0, `${y}`);
    await tab.run("window.dispatchEvent(new Event('pointerup'))", 1);
    await server.until("not viewer.held");
    await tab.run(slide(0, 0.8), 1);
    await server.until("viewer.y[0] > 0.5");
    await server.until("not viewer.held");
    // hidden pages get no frames
    await tab.run("window.dispatchEvent(new Event('pointerdown'))", 1);
    await tab.run(slide(0, 0.3), 1);
    await server.until("viewer.held");
    await new Promise((go) => setTimeout(go, 4000));
    need(await server.ask("viewer.held"), "a hold that lasts is forgotten");
    await tab.run("Object.defineProperty(document, 'hidden', { get: () => true }); window.requestAnimationFrame = () => 0; window.dispatchEvent(new Event('pointerup'))", 1);
    await server.until("not viewer.held");
});

await onServer("what the mouse holds stays with it while Python moves the rest of the time", "arm7", async (server, tab) => {
    const last = await tab.run("tandem.robot.about.links.findLastIndex((l) => l.body >= 0 && l.mass > 0)", 1);
    const [x, y] = await tab.run(`(() => {
        const page = tandem, box = page.body.bounds(${last}), canvas = page.stage.renderer.domElement.getBoundingClientRect();
        const v = box.getCenter(page.stage.camera.position.clone()).project(page.stage.camera);
        return [canvas.left + (v.x + 1) / 2 * canvas.width, canvas.top + (1 - v.y) / 2 * canvas.height];
    })()`, 1);
    const mouse = (type, dx, dy, buttons) => tab.send("Input.dispatchMouseEvent", { type, x: x + dx, y: y + dy, button: type === "mouseMoved" ? "none" : "left", buttons, clickCount: 1 });
    await mouse("mouseMoved", 0, 0, 0);
    await mouse("mousePressed", 0, 0, 1);
    for (const k of [1, 3, 5]) await mouse("mouseMoved", 10 * k, 12 * k, 1);
    await server.until("viewer.held and abs(viewer.y).max() > 0.01");
    const streaming = server.ask("stream(0.5)"); // is dropped
    await streaming;
    need(await server.ask("viewer.held"), "it was let go");
    await server.until(`viewer.y.tolist() == ${JSON.stringify((await tab.run(state, 1)).y)}`);
    await mouse("mouseReleased", 50, 60, 0);
    await server.until("not viewer.held");
    await server.ask("setattr(viewer, 'y', np.zeros(7))");
    await tab.until("tandem.robot.y.every((v) => v === 0)", 10, 1);
});

await onServer("a motion of the page is y of Python, until Python moves the robot", "arm7", async (server, tab) => {
    await server.ask("setattr(viewer, 'y', np.full(7, 0.3))");
    await tab.until("tandem.robot.y[0] === 0.3", 10, 1);
    await tab.run("tandem.play.toggle()", 1);
    await server.until("abs(viewer.y - 0.3).max() > 0.05");
    need(!(await server.ask("viewer.held")), "nobody holds it");
    await server.ask("setattr(viewer, 'y', np.full(7, 0.1))");
    await tab.until("!tandem.play.running && tandem.robot.y.every((v) => v === 0.1)", 10, 1);
});

await onServer("a loop that does not close stops the robot on the way, and Python knows", "stewart", async (server, tab) => {
    await server.ask("setattr(viewer, 'y', viewer.y + 10 * np.eye(len(viewer.y))[0])"); // only one leg
    await server.until("viewer.stopped");
    const { y, residual } = await tab.run(state, 1);
    need(residual < 1e-9, `residual ${residual}`);
    need(differs(await server.ask("viewer.y.tolist()"), y) === 0, `${y}`);
    return server.ask("viewer.stopped");
});

await onServer("as Python ends the page says so", "arm7", async (server, tab) => {
    await server.ask("viewer.close()");
    await tab.until("document.getElementById('message').textContent === 'Python has closed this page'", 10, 1);
});

// ---- a notebook: a page with cells, whose socket this test connects to a kernel

const KERNEL = `
import sys, types, numpy as np
comms = {}
class Comm:
    def __init__(self, target_name, comm_id, primary):
        self.comm_id, self.sent = comm_id, []
        comms[comm_id] = self
    def on_msg(self, hear): self.hear = hear
    def send(self, data): self.sent.append(data)
    def taken(self):
        sent, self.sent = self.sent, []
        return sent
    def say(self, data): self.hear({"content": {"data": data}})
sys.modules["comm"] = types.SimpleNamespace(create_comm=lambda **o: Comm(**o), get_comm_manager=lambda: types.SimpleNamespace(
    register_comm=lambda comm: None, unregister_comm=lambda comm: None))
sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=types.SimpleNamespace(
    config={"IPKernelApp": {"connection_file": "kernel-1-2.json"}})))
import tandem
pages = [tandem.load(${JSON.stringify(robots)} + name).show() for name in ("/arm7.urdf", "/gripper.urdf")]`;
const SOCKET = `window.sockets = []; window.WebSocket = class {
    readyState = 0;
    constructor(url) { this.url = String(url); this.sent = []; window.sockets.push(this); setTimeout(() => { this.readyState = 1; this.onopen(); }, 10); }
    close() { this.readyState = 3; this.onclose(); }
    send(text) { this.sent.push(JSON.parse(text)); }
    taken() { const { sent } = this; this.sent = []; return sent; }
    hear(message) { this.onmessage({ data: JSON.stringify(message) }); }
};`;

/** Relays what each side has sent, once. */
async function pass(kernel, tab) {
    for (const { channel, header, content } of await tab.run("window.sockets[0]?.taken() ?? []")) {
        need(channel === "shell" && header.msg_type === "comm_msg" && header.session, "a strange message");
        await kernel.ask(`comms[${JSON.stringify(content.comm_id)}].say(json.loads(${JSON.stringify(JSON.stringify(content.data))}))`);
        await tab.run(`window.sockets[0].hear(${JSON.stringify({ channel: "iopub", header: { msg_type: "status" }, parent_header: header, content: { execution_state: "idle" } })})`);
    }
    for (const [comm, sent] of Object.entries(await kernel.ask("{key: comm.taken() for key, comm in comms.items()}")))
        for (const data of sent)
            await tab.run(`window.sockets[0].hear(${JSON.stringify({ channel: "iopub", header: { msg_type: "comm_msg" }, parent_header: {}, content: { comm_id: comm, data } })})`);
}

async function passUntil(kernel, tab, condition, frame = 0) {
    for (const end = Date.now() + 30000; Date.now() < end; ) {
        await pass(kernel, tab);
        if (await (frame > 0 ? tab.run(condition, frame).catch(() => false) : kernel.ask(condition))) return;
    }
    throw new Error(`never: ${condition}`);
}

for (const [name, all] of [["a notebook shows two robots with one template, moves them and reads them", true],
    ["a notebook that was loaded anew without its first cell asks the kernel for the template", false]])
    await test(name, async () => {
        const kernel = new Python(KERNEL);
        const cells = await kernel.ask("[page._repr_html_() for page in pages]");
        const file = join(scratch, "notebook.html");
        writeFileSync(file, `<!DOCTYPE html><meta charset="utf-8"><body data-base-url="http://127.0.0.1:1/some/">${(all ? cells : cells.slice(1)).join("\n")}`);
        const tab = await browser.open(`file://${file}`, { script: SOCKET });
        const frame = all ? 2 : 1;
        try {
            await passUntil(kernel, tab, ready, frame);
            const urls = await tab.run("window.sockets.map((s) => s.url)");
            need(urls.length === 1 && /^ws:\/\/127\.0\.0\.1:1\/some\/api\/kernels\/1-2\/channels\?session_id=\w{32}$/.test(urls[0]), `sockets ${urls}`);
            await kernel.ask("setattr(pages[1], 'y', np.array([0.25]))");
            await passUntil(kernel, tab, "tandem.robot.y[0] === 0.25", frame);
            await tab.run("window.dispatchEvent(new Event('pointerdown'))", frame);
            await tab.run(slide(0, 0.9), frame);
            await passUntil(kernel, tab, "pages[1].held and pages[1].y[0] > 0.6");
            await tab.run("window.dispatchEvent(new Event('pointerup'))", frame);
            await passUntil(kernel, tab, "not pages[1].held");
            need(differs(await kernel.ask("pages[1].y.tolist()"), (await tab.run(state, frame)).y) === 0, "y differs");
            need(await kernel.ask("not pages[0].y.any()"), "the other robot has moved");
            // the code that serves a frame ends with the frame, and the socket with the last frame
            const closed = () => tab.run("window.sockets[0].readyState === 3");
            const collect = async () => {
                for (let k = 0; k < 20 && !(await closed()); k++) {
                    await tab.send("HeapProfiler.collectGarbage");
                    await new Promise((go) => setTimeout(go, 100));
                }
            };
            if (all) {
                await tab.run("(() => { const frame = document.querySelector('iframe'); frame.remove(); })()");
                await tab.send("HeapProfiler.collectGarbage");
                need(!(await closed()), "the socket is needed");
                await tab.run("document.querySelector('iframe').remove()");
                await collect();
                need(await closed(), "the socket stays");
            } else {
                await tab.run("window.sockets[0].close()");
                await tab.until("document.getElementById('message').textContent.startsWith('The kernel does not answer')", 10, frame);
            }
            need(tab.errors.length === 0, `console: ${tab.errors.join("; ")}`);
            return `${cells.map((cell) => cell.length)} characters`;
        } finally {
            await tab.close();
            kernel.child.stdin.end();
        }
    });

await browser.close();
rmSync(scratch, { recursive: true, force: true });
plan();
