// SPDX-License-Identifier: MIT
// Handles the pointer on the robot. Dragging a link moves the joints by inverse kinematics and keeps
// pinned links in place. During a simulation, dragging pulls the link instead. The link under the
// pointer shows its name.

import * as THREE from "three";
import type { Body } from "./body.ts";
import type { Robot } from "./core.ts";
import { brief, byId } from "./dom.ts";
import type { Stage } from "./stage.ts";

export class Hand {
    /** whether a simulation runs: dragging then pulls links by a spring */
    playing: () => boolean = () => false;
    onMove: () => void = () => undefined;
    onPick: (link: number) => void = () => undefined;
    /** called when links were pinned or released */
    onPin: () => void = () => undefined;
    say: (text: string) => void = () => undefined;
    private link = -1;
    private moved = false;
    private pins = false; // whether this click pins the link
    private before = new Float64Array(); // y at the start of the drag
    private left = 0; // distance from the goal to the dragged point (m)
    private readonly point = new THREE.Vector3();
    private readonly goal = new THREE.Vector3();
    private readonly plane = new THREE.Plane();
    private readonly caster = new THREE.Raycaster();
    private readonly rope: THREE.Line;
    private readonly tip = byId("tip");

    constructor(private readonly robot: Robot, private readonly body: Body, private readonly stage: Stage) {
        this.rope = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
            new THREE.LineBasicMaterial({ color: "#ff9d1c", depthTest: false }));
        this.rope.visible = false;
        this.rope.frustumCulled = false;
        stage.scene.add(this.rope);
        const canvas = stage.renderer.domElement;
        // runs before the camera controls, which handle events that do not hit a link
        canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true });
        canvas.addEventListener("pointermove", (e) => this.move(e));
        for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const)
            canvas.addEventListener(end, (e) => this.up(e));
        canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    }

    get dragging(): boolean { return this.link >= 0; }

    private aim(event: PointerEvent): void {
        const box = this.stage.renderer.domElement.getBoundingClientRect();
        const at = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
        this.caster.setFromCamera(at, this.stage.camera);
    }

    private hit(event: PointerEvent): THREE.Intersection | undefined {
        this.aim(event);
        return this.caster.intersectObject(this.body.root, true).find((h) => h.object instanceof THREE.Mesh && h.object.castShadow
            && !this.body.isHidden(h.object.userData.link as number));
    }

    private down(event: PointerEvent): void {
        if (event.button !== 0 || !event.isPrimary) return;
        const hit = this.hit(event);
        if (!hit) return;
        this.link = hit.object.userData.link as number;
        this.moved = false;
        this.pins = event.shiftKey;
        this.goal.copy(hit.point);
        this.point.copy(hit.point).applyMatrix4(this.body.links[this.link]!.matrix.clone().invert());
        this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
        this.stage.controls.enabled = false;
        this.stage.renderer.domElement.setPointerCapture(event.pointerId);
        event.preventDefault();
    }

    isPinned(link: number): boolean { return this.robot.array("pinned")[link] !== 0; }

    /** Pins or releases a link. A pinned link does not move while others are dragged. */
    pin(link: number, on: boolean): void {
        this.robot.array("pinned")[link] = on ? 1 : 0;
        this.body.mark(this.robot.array("pinned"));
        this.onPin();
        this.stage.draw();
    }

    /** Begins to drag the link at the point. Returns false if this is not possible. */
    private take(): boolean {
        this.before = Float64Array.from(this.robot.y);
        if (this.playing()) return true;
        const { name } = this.robot.about.links[this.link]!;
        const failed = this.isPinned(this.link) ? "it is pinned" : this.robot.beginDrag(this.link, this.point.toArray());
        this.say(failed ? `${name}: ${failed}` : "");
        return failed === null;
    }

    private move(event: PointerEvent): void {
        if (this.link < 0) {
            this.showTip(event);
            return;
        }
        this.aim(event);
        if (this.pins || !this.caster.ray.intersectPlane(this.plane, this.goal)) return;
        if (!this.moved) {
            if (!this.take()) {
                this.drop();
                return;
            }
            this.moved = true;
            this.body.highlight(this.link);
        }
        this.follow();
    }

    /** Moves the robot toward the goal, or pulls it during a simulation. */
    private follow(): void {
        if (this.playing()) {
            this.robot.movePull(this.point.toArray(), this.goal.toArray());
            const reach = this.body.size;
            this.robot.pull(this.link, (4 * this.robot.about.mass * 10) / reach);
        } else {
            this.left = this.robot.drag(this.goal.toArray());
        }
        this.onMove();
    }

    /** Continues the drag while the pointer rests and the goal is not reached. Returns whether the robot still moves. */
    frame(): boolean {
        if (!this.dragging || !this.moved || this.playing() || this.left < 1e-6) return false;
        const before = this.left;
        this.left = this.robot.drag(this.goal.toArray());
        return this.left < before - 1e-6;
    }

    /** Updates the line from the dragged point to the goal, after the robot has moved. */
    update(): void {
        this.rope.visible = this.dragging && this.moved;
        if (!this.rope.visible) return;
        const from = this.point.clone().applyMatrix4(this.body.links[this.link]!.matrix);
        const at = this.rope.geometry.getAttribute("position") as THREE.BufferAttribute;
        at.setXYZ(0, from.x, from.y, from.z);
        at.setXYZ(1, this.goal.x, this.goal.y, this.goal.z);
        at.needsUpdate = true;
    }

    private up(event: PointerEvent): void {
        if (this.link < 0) return;
        const link = this.link;
        this.drop();
        if (event.type !== "pointerup" || this.moved) return;
        if (this.pins) this.pin(link, !this.isPinned(link));
        else this.onPick(link);
    }

    /** Cancels a drag, and moves the robot back. Returns false if there was none. */
    cancel(): boolean {
        if (!this.dragging) return false;
        const moved = this.moved && !this.playing();
        this.drop();
        if (moved) {
            this.robot.moveTo(this.before);
            this.onMove();
        }
        return true;
    }

    private drop(): void {
        this.link = -1;
        this.stage.controls.enabled = true;
        if (this.playing()) this.robot.pull(-1, 0);
        this.robot.endDrag();
        this.body.highlight(-1);
        this.update();
        this.stage.draw();
    }

    private showTip(event: PointerEvent): void {
        const hit = event.pointerType === "mouse" && event.buttons === 0 ? this.hit(event) : undefined;
        this.stage.renderer.domElement.style.cursor = hit ? "grab" : "";
        this.tip.hidden = !hit;
        if (!hit) return;
        const link = this.robot.about.links[hit.object.userData.link as number]!;
        this.tip.textContent = `${link.name}${link.mass > 0 ? `, ${brief(link.mass)} kg` : ""}`;
        const box = this.stage.renderer.domElement.getBoundingClientRect();
        this.tip.style.left = `${event.clientX - box.left + 14}px`;
        this.tip.style.top = `${event.clientY - box.top + 14}px`;
    }
}
