// SPDX-License-Identifier: MIT
// The page: reads its data, loads the robot into tandem, and connects the parts.

import * as THREE from "three";
import wasm from "tandem.wasm";
import { addressOf, postureOf } from "./address.ts";
import { Body, type Look } from "./body.ts";
import { bytesOf, gunzip, isPacked, unpacked } from "./bytes.ts";
import { Coordinates } from "./coordinates.ts";
import { Robot } from "./core.ts";
import type { PageData } from "./description.ts";
import { linkOf, listDiagnostics, missingText } from "./diagnostics.ts";
import { brief, byId, element, steady, toggle } from "./dom.ts";
import { Hand } from "./hand.ts";
import { Labels, NAMES, type Names } from "./labels.ts";
import { LAYERS, Layers, type LayerName } from "./layers.ts";
import { Live } from "./live.ts";
import { Loads } from "./loads.ts";
import { Meshes } from "./meshes.ts";
import { Motion } from "./motion.ts";
import { Play } from "./play.ts";
import { Stage } from "./stage.ts";
import { LinkTree } from "./tree.ts";

class Page {
    readonly stage: Stage;
    readonly body: Body;
    readonly layers: Layers;
    readonly labels: Labels;
    readonly coordinates: Coordinates;
    readonly hand: Hand;
    readonly play: Play;
    readonly motion: Motion;
    readonly loads: Loads;
    readonly live: Live;
    readonly tree: LinkTree;
    private readonly scheme = window.matchMedia("(prefers-color-scheme: dark)");
    private tableDue = 0;
    private address = ""; // the address last written or read
    private told = -1; // the selected link

    constructor(readonly robot: Robot, readonly data: PageData, readonly meshes: Meshes) {
        const { about } = robot;
        this.loads = new Loads(robot, data);
        const failed = this.loads.begin();
        this.stage = new Stage(byId("stage"));
        this.body = new Body(about, meshes, robot.array("poses"));
        this.stage.scene.add(this.body.root);
        this.layers = new Layers(robot, this.body, this.stage.scene);
        this.labels = new Labels(about, this.body, this.stage);
        this.coordinates = new Coordinates(robot, this.body.size);
        this.hand = new Hand(robot, this.body, this.stage);
        this.play = new Play(robot);
        this.motion = new Motion(robot);
        this.live = new Live(robot);
        this.tree = new LinkTree(about);
        this.fitStage();
        this.describe();
        this.connect();
        this.makeSwitches();
        listDiagnostics(about, { ...data, left_out: [...data.left_out, ...meshes.failed] }, (link) => this.flyTo(link));
        this.tellMissing();
        this.setScheme(this.scheme.matches);
        this.address = addressOf(robot.y);
        this.followAddress();
        window.addEventListener("hashchange", () => this.followAddress());
        if (robot.array("wrenches").some((x) => x !== 0)) this.switchOn("wrenches");
        if (data.motion) void this.loadData(data.motion);
        this.update();
        if (failed !== "") this.coordinates.say([failed, byId("message").textContent].filter((s) => s !== "").join("; ")); // last, so that no success message replaces it
    }

    /** Moves the robot to the posture in the address, as far as loops can be closed. */
    private followAddress(): void {
        const y = postureOf(location.hash, this.robot.about.ny);
        if (!y) return;
        this.play.stop();
        this.motion.stop();
        this.robot.normalize(y);
        this.coordinates.moveTo(y, null, "the posture of the URL");
    }

    /** Writes the posture to the address when the robot rests. Frames of notebooks have no address. */
    private writeAddress(): void {
        const now = addressOf(this.robot.y);
        if (now === this.address || this.play.running || this.motion.running) return;
        this.address = now;
        try {
            history.replaceState(null, "", `#${now}`);
        } catch { /* the address is read-only */ }
    }

    private fitStage(): void {
        const box = this.body.bounds();
        const low = box.min.z, size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-3);
        // if the robot stands near z = 0, the ground is there, else at its lowest point
        this.stage.fit(box.getCenter(new THREE.Vector3()), size, low > -0.03 * size && low < 0.3 * size ? Math.min(low, 0) : low);
    }

    private describe(): void {
        const { about } = this.robot;
        document.title = `${about.name} · tandem`;
        byId("robot-name").textContent = about.name;
        const loops = about.loops.length;
        byId("robot-facts").textContent = [
            `${about.ny} of ${about.nq} coordinates independent`,
            loops > 0 ? `${loops} loop${loops === 1 ? "" : "s"}` : "", `${brief(about.mass)} kg`,
        ].filter((s) => s !== "").join(" · ");
        this.stage.renderer.domElement.setAttribute("aria-label",
            `The robot ${about.name}. The sliders and the table of coordinates describe what the picture shows.`);
        byId("about").append(element("p", {}, `tandem ${about.version}; read from ${this.data.file}.`));
    }

    /** Reports missing or damaged meshes, and what replaces them. */
    private tellMissing(): void {
        const { failed } = this.meshes, { length } = this.body.replaced;
        const text = [
            "dispose" in this.stage.renderer ? "" : "This browser has no WebGL, so there is no picture",
            missingText(this.data.left_out),
            failed.length > 0 ? `${failed.length} mesh${failed.length === 1 ? "" : "es"} cannot be read` : "",
            length > 0 ? `${length} link${length === 1 ? " is" : "s are"} drawn with collision shapes` : "",
        ].filter((s) => s !== "").join("; ");
        byId("missing").textContent = text;
        byId("missing").hidden = text === "";
    }

    private connect(): void {
        const { coordinates, hand, play, motion, stage, live, robot } = this;
        const moved = () => {
            motion.stop();
            this.update();
        };
        coordinates.onMove = () => {
            play.stop();
            moved();
        };
        this.tree.onPick = (link) => this.flyTo(link);
        this.tree.onShow = (links, on) => this.hide((i) => (links.has(i) ? !on : this.body.isHidden(i)));
        hand.playing = () => play.running;
        hand.onMove = moved;
        hand.onPick = (link) => this.tell(link);
        hand.onPin = () => this.tellAgain();
        hand.say = (text) => coordinates.say(text);
        play.say = (text) => coordinates.say(text);
        this.loads.say = (text) => coordinates.say(text);
        this.loads.onChange = () => {
            play.restart();
            if (robot.array("external").some((x) => x !== 0)) this.switchOn("wrenches");
            this.update();
        };
        play.onChange = () => {
            if (play.running) motion.stop();
            this.update();
        };
        motion.onTime = () => this.update();
        motion.onChange = () => {
            if (motion.running) play.stop();
            this.update();
        };
        live.onMessage = () => stage.draw();
        live.onMove = () => {
            play.stop();
            motion.stop();
        };
        live.grabbed = () => hand.dragging;
        live.moving = () => play.running || motion.running;
        live.say = (text) => coordinates.say(text);
        stage.onFrame = (now) => {
            if (play.running) play.frame(now);
            if (motion.running) motion.frame(now);
            const moves = [play.running, motion.running, hand.frame(), live.frame()].includes(true);
            if (moves) this.refresh();
            this.labels.update();
            return moves;
        };
        byId("reset").addEventListener("click", () => this.reset());
        byId("all").addEventListener("click", () => this.hide(() => false));
        byId("picture").addEventListener("click", () => this.savePicture());
        byId("fit").addEventListener("click", () => this.fit());
        byId("theme").addEventListener("click", () => this.setScheme(document.documentElement.dataset.scheme !== "dark"));
        this.scheme.addEventListener("change", (e) => this.setScheme(e.matches));
        document.addEventListener("keydown", (e) => this.key(e));
        byId<HTMLInputElement>("motion-file").addEventListener("change", (e) => {
            const file = (e.target as HTMLInputElement).files?.[0];
            if (file) void this.loadFile(file);
        });
        document.addEventListener("dragover", (e) => e.preventDefault());
        document.addEventListener("drop", (e) => {
            e.preventDefault();
            const file = e.dataTransfer?.files[0];
            if (file) void this.loadFile(file);
        });
    }

    /** Loads a table that the user has selected or dropped. */
    private async loadFile(file: File): Promise<void> {
        try {
            await this.loadMotion(file.name, new Uint8Array(await file.arrayBuffer()));
        } catch (error) {
            this.coordinates.say(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
        }
    }

    /** Loads the table in the page's data: text or binary. */
    private loadData({ name, text, base64 }: NonNullable<PageData["motion"]>): Promise<void> {
        return base64 !== undefined ? this.loadMotion(name, bytesOf(base64), false, true) : this.loadMotion(name, new TextEncoder().encode(text), true, true);
    }

    /** Loads a motion. begin: at the start of the page, whose messages stay visible. */
    private async loadMotion(name: string, bytes: Uint8Array<ArrayBuffer>, isText = false, begin = false): Promise<void> {
        let short = name.replace(/^.*[/\\]/, "");
        try {
            if (isPacked(bytes)) {
                bytes = await gunzip(bytes);
                short = short.replace(/\.gz$/i, "");
            }
            this.play.stop();
            this.motion.load(short, bytes, isText);
            if (!begin) this.coordinates.say("");
        } catch (error) {
            this.coordinates.say(error instanceof Error ? error.message : String(error));
        }
    }

    private makeSwitches(): void {
        const box = byId("switches");
        LAYERS.forEach(([name, label, marks], k) => {
            const legend = element("ul", { class: "legend", "aria-label": `marks of ${label}`, hidden: true }, ...marks.map(([shape, colour, text]) => {
                const mark = element("i", { class: shape });
                mark.style.color = colour;
                return element("li", {}, mark, text);
            }));
            box.append(toggle(label, false, (on) => {
                legend.hidden = !on;
                this.show(name, on);
            }, String(k + 1)), legend);
        });
        const names = byId<HTMLSelectElement>("names");
        names.append(...NAMES.map((name) => element("option", { value: name }, name)));
        names.addEventListener("change", () => this.labels.show(names.value as Names));
        byId("units").append(toggle("Degrees", true, (on) => {
            this.coordinates.setDegrees(on);
            this.motion.setDegrees(on);
        }));
        if (this.robot.about.limited) byId("units").append(toggle("Ignore limits", this.robot.about.ignoresLimits, (on) => this.ignoreLimits(on)));
        const select = byId<HTMLSelectElement>("look");
        select.addEventListener("change", () => {
            this.body.setLook(select.value as Look);
            this.stage.draw();
        });
        if (this.data.up_axis) this.turnMeshes(true);
        const turn = toggle("Rotate meshes by their up axis", this.body.turned, (on) => this.turnMeshes(on));
        turn.title = "For COLLADA and glTF files. Off: their axes are the link's, as in RViz";
        byId("look-options").append(turn);
    }

    private ignoreLimits(on: boolean): void {
        const { running } = this.play;
        this.hand.cancel();
        this.play.stop();
        this.coordinates.say(this.robot.ignoreLimits(on) ?? "");
        this.coordinates.setDegrees();
        if (running) this.play.start();
        this.update();
    }

    private turnMeshes(on: boolean): void {
        this.body.turned = on;
        this.body.setLook(this.body.look);
        this.stage.draw();
    }

    private layerBox(k: number): HTMLInputElement { return byId("switches").querySelectorAll("input")[k]!; }

    private switchOn(name: LayerName): void {
        const box = this.layerBox(LAYERS.findIndex(([n]) => n === name));
        if (!box.checked) box.click();
    }

    show(name: LayerName, on: boolean): void {
        this.layers.show(name, on);
        this.stage.draw();
    }

    setScheme(dark: boolean): void {
        document.documentElement.dataset.scheme = dark ? "dark" : "light";
        byId("theme").setAttribute("aria-pressed", String(dark));
        this.stage.setDark(dark);
        this.motion.drawPlots();
    }

    // ---- what the user does ----

    reset(): void {
        this.play.stop();
        this.motion.stop();
        this.robot.reset();
        this.coordinates.say("");
        this.update();
    }

    fit(): void {
        const box = this.body.bounds();
        this.stage.look(box.getCenter(new THREE.Vector3()), box.getSize(new THREE.Vector3()).length(), true);
    }

    /** Moves the camera to a link and highlights it. */
    flyTo(link: number): void {
        const box = this.body.bounds(link);
        const at = new THREE.Vector3().setFromMatrixPosition(this.body.links[link]!.matrix);
        if (!box.isEmpty()) box.getCenter(at);
        this.stage.approach(at, box.isEmpty() ? 0.1 * this.body.size : box.getSize(new THREE.Vector3()).length());
        this.tell(link);
    }

    /** Hides the links for which the function returns true, and shows all others. */
    hide(links: (link: number) => boolean): void {
        this.body.hide(links);
        byId("all").hidden = !this.robot.about.links.some((_, i) => this.body.isHidden(i));
        this.tree.update((i) => this.body.isHidden(i), this.told);
        this.stage.draw();
    }

    private savePicture(): void {
        this.stage.renderer.render(this.stage.scene, this.stage.camera);
        element("a", { href: this.stage.renderer.domElement.toDataURL("image/png"), download: `${this.robot.about.name}.png` }).click();
    }

    private pinButton(link: number): HTMLElement {
        const pinned = this.hand.isPinned(link);
        return element("button", { type: "button", id: "pin", "aria-pressed": String(pinned),
            title: "keeps the link in place while others are dragged (Shift and a click)", click: () => this.hand.pin(link, !pinned) },
        pinned ? "Unpin" : "Pin");
    }

    private tellAgain(): void {
        if (this.told >= 0) this.tell(this.told);
    }

    private unTell(): void {
        this.told = -1;
        this.body.highlight(-1);
        byId("picked").hidden = true;
        this.tree.update((i) => this.body.isHidden(i), -1);
        this.stage.draw();
    }

    /** Selects a link and shows its description. */
    private tell(link: number): void {
        this.told = link;
        const { about } = this.robot;
        const { name, mass, line, parentJoint } = about.links[link]!;
        const joint = about.joints[parentJoint];
        const entries = this.data.diagnostics.filter((d) => linkOf(about, d.element) === link);
        this.body.highlight(link);
        this.tree.update((i) => this.body.isHidden(i), link);
        byId("picked").hidden = false;
        byId("picked").replaceChildren(element("b", {}, name),
            element("span", {}, [`${brief(mass)} kg`, joint ? `${joint.type} joint ${joint.name}` : "root", line > 0 ? `line ${line}` : ""]
                .filter((s) => s !== "").join(" · ")),
            this.loads.payload(link), this.loads.wrenches(link),
            element("div", { class: "bar" }, this.pinButton(link),
                element("button", { type: "button", click: () => this.hide((i) => i === link || this.body.isHidden(i)) }, "Hide"),
                element("button", { type: "button", click: () => this.hide((i) => i !== link) }, "Only this")),
            ...entries.map((d) => element("span", { class: d.severity }, `${d.code}: ${d.message}${d.remedy ? ` (${d.remedy})` : ""}`)));
        this.stage.draw();
    }

    private key(event: KeyboardEvent): void {
        const at = event.target as HTMLElement;
        const typing = at.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
        if (event.ctrlKey || event.metaKey || event.altKey || typing) return;
        if (at === this.stage.renderer.domElement && this.stage.press(event.key, event.shiftKey)) {
            event.preventDefault();
            return;
        }
        const layer = LAYERS[Number(event.key) - 1];
        if (layer) {
            this.layerBox(Number(event.key) - 1).click();
        } else if (event.key === " " && !at.matches("button, summary, [type=checkbox]")) {
            if (this.motion.loaded) this.motion.toggle();
            else this.play.toggle();
            event.preventDefault();
        } else if (event.key === "n") {
            const names = byId<HTMLSelectElement>("names");
            names.selectedIndex = (names.selectedIndex + 1) % NAMES.length;
            this.labels.show(names.value as Names);
        } else if (event.key === "g") this.play.toggle();
        else if (event.key === "r") this.reset();
        else if (event.key === "f") this.fit();
        else if (event.key === "d") byId("theme").click();
        else if (event.key === "Escape") {
            if (!this.hand.cancel()) this.unTell();
        }
    }

    // ---- what changes ----

    /** Updates all views after the robot's state has changed. */
    refresh(): void {
        this.body.place(this.robot.array("poses"));
        this.layers.update();
        this.coordinates.update();
        this.hand.update();
        this.live.changed();
        byId("residual").textContent = brief(this.robot.residual, 2);
        const com = this.robot.array("com");
        byId("centre").textContent = Number.isFinite(com[0]) ? Array.from(com, (x) => steady(1000 * x, 0)).join(", ") : "–";
        byId("potential").textContent = steady(this.robot.array("energy")[1]!, 3);
        if (this.tableDue !== 0) return;
        this.tableDue = window.setTimeout(() => {
            this.tableDue = 0;
            this.coordinates.updateTable();
            this.writeAddress();
        }, 300);
    }

    update(): void {
        this.refresh();
        this.stage.draw();
    }
}

async function begin(): Promise<void> {
    const data = JSON.parse(byId("tandem-data").textContent ?? "") as PageData;
    try {
        const [robot, meshes] = await Promise.all([unpacked({ base64: wasm, gzip: true }).then((binary) => Robot.load(binary, data.model)), Meshes.load(data)]);
        const page = new Page(robot, data, meshes);
        (window as unknown as { tandem: Page }).tandem = page; // for tests and the curious
        document.documentElement.dataset.state = "ready";
    } catch (error) {
        document.documentElement.dataset.state = "failed";
        byId("robot-name").textContent = data.file;
        byId("robot-facts").textContent = error instanceof Error ? error.message : String(error);
    }
}

void begin();
