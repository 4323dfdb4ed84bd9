// SPDX-License-Identifier: MIT
// Controls headless Chromium by its protocol over pipes, without further packages.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns the installed browser, or null. */
export async function startChromium() {
    const profile = mkdtempSync(join(tmpdir(), "tandem-view-"));
    const child = spawn(process.env.CHROMIUM ?? "chromium", [
        "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
        "--remote-debugging-pipe", `--user-data-dir=${profile}`, "--no-first-run", "--disable-extensions",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
        "--disable-features=IsolateSandboxedIframes", // lets a tab access its frames
        "--force-color-profile=srgb", "--hide-scrollbars", "about:blank",
    ], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    const started = await new Promise((resolve) => {
        child.once("spawn", () => resolve(true));
        child.once("error", () => resolve(false));
    });
    if (!started) return null;
    return new Chromium(child, profile);
}

class Chromium {
    constructor(child, profile) {
        this.child = child;
        this.profile = profile;
        this.last = 0;
        this.waiting = new Map();
        this.listeners = [];
        this.rest = "";
        child.stdio[4].setEncoding("utf8");
        child.stdio[4].on("data", (text) => this.receive(text));
        child.stdio[3].on("error", () => {});
        child.once("exit", () => {
            for (const { reject } of this.waiting.values()) reject(new Error("chromium has ended"));
        });
    }

    receive(text) {
        const parts = (this.rest + text).split("\0");
        this.rest = parts.pop();
        for (const message of parts.map((p) => JSON.parse(p))) {
            const waiting = this.waiting.get(message.id);
            this.waiting.delete(message.id);
            if (waiting && message.error) waiting.reject(new Error(message.error.message));
            else if (waiting) waiting.resolve(message.result);
            else for (const listener of this.listeners) listener(message);
        }
    }

    send(method, params = {}, sessionId = undefined) {
        const id = ++this.last;
        this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    }

    /** Opens a page of the given size, with or without network. errors collects console errors. script runs before the page's scripts. */
    async open(url, { width = 1280, height = 800, dark = false, touch = false, script = "", online = false } = {}) {
        const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
        const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
        const tab = new Tab(this, targetId, sessionId);
        this.listeners.push((message) => {
            if (message.sessionId === sessionId) tab.hear(message);
        });
        for (const domain of ["Page", "Runtime", "Log", "Network"]) await tab.send(`${domain}.enable`);
        if (!online) await tab.send("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });
        await tab.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: touch });
        await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
        if (touch) await tab.send("Emulation.setTouchEmulationEnabled", { enabled: true });
        if (script) await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: script });
        await tab.send("Page.navigate", { url });
        await tab.until("document.documentElement.dataset.state !== 'loading' && document.readyState === 'complete'");
        return tab;
    }

    async close() {
        const ended = new Promise((resolve) => this.child.once("exit", resolve));
        this.send("Browser.close").catch(() => {});
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 3000))]);
        this.child.kill("SIGKILL");
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
    }
}

class Tab {
    constructor(browser, targetId, sessionId) {
        Object.assign(this, { browser, targetId, sessionId, errors: [], requests: [], contexts: [] });
    }

    send(method, params) {
        return this.browser.send(method, params, this.sessionId);
    }

    hear({ method, params }) {
        if (method === "Runtime.exceptionThrown") this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type))
            this.errors.push(params.args.map((a) => a.value ?? a.description).join(" "));
        if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level)) this.errors.push(params.entry.text);
        if (method === "Runtime.executionContextCreated" && params.context.auxData.isDefault) this.contexts.push(params.context);
        if (method === "Runtime.executionContextDestroyed") this.contexts = this.contexts.filter((c) => c.id !== params.executionContextId);
        if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    }

    /** Evaluates an expression, and awaits a promise. frame: number of the frame, from 1 in order of creation. */
    async run(expression, frame = 0) {
        const contextId = frame > 0 ? this.contexts.filter((c) => c.auxData.frameId !== this.targetId)[frame - 1]?.id ?? -1 : undefined;
        const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, contextId, awaitPromise: true, returnByValue: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    async until(condition, seconds = 40, frame = 0) {
        for (const end = Date.now() + 1000 * seconds; Date.now() < end; ) {
            if (await this.run(condition, frame).catch(() => false)) return;
            await new Promise((resolve) => setTimeout(resolve, 50));
        }
        throw new Error(`never: ${condition}`);
    }

    /** Clicks. modifiers: 8 is shift. */
    async click([x, y], modifiers = 0) {
        for (const type of ["mousePressed", "mouseReleased"])
            await this.send("Input.dispatchMouseEvent", { type, x, y, modifiers, button: "left", buttons: type === "mousePressed" ? 1 : 0, clickCount: 1 });
    }

    /** Presses at a point of the page, moves through others, waits and releases. */
    async drag(points, rest = 0) {
        const at = (type, [x, y], buttons) => this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", buttons, clickCount: 1 });
        await at("mouseMoved", points[0], 0);
        await at("mousePressed", points[0], 1);
        for (const point of points.slice(1)) await at("mouseMoved", point, 1);
        if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
        await at("mouseReleased", points[points.length - 1], 0);
    }

    async key(key) {
        const codes = { ArrowRight: 39, ArrowUp: 38, Escape: 27 };
        for (const type of ["keyDown", "keyUp"])
            await this.send("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: codes[key],
                text: type === "keyDown" && key.length === 1 ? key : undefined });
    }

    async picture() {
        const { data } = await this.send("Page.captureScreenshot", { format: "png" });
        return Buffer.from(data, "base64");
    }

    async close() {
        await this.browser.send("Target.closeTarget", { targetId: this.targetId });
    }
}
