// SPDX-License-Identifier: MIT
// Name labels of links, at their centers, or of joints. If labels overlap, only the nearest to the
// camera is shown.

import * as THREE from "three";
import type { Body } from "./body.ts";
import type { Description } from "./description.ts";
import { byId, element } from "./dom.ts";
import type { Stage } from "./stage.ts";

export const NAMES = ["none", "links", "joints"] as const;
export type Names = (typeof NAMES)[number];

interface Label {
    box: HTMLElement;
    link: number;
    /** in the link's frame */
    at: THREE.Vector3;
    size: [width: number, height: number];
}

export class Labels {
    shown: Names = "none";
    private labels: Label[] = [];
    private readonly layer = byId("labels");

    constructor(private readonly about: Description, private readonly body: Body, private readonly stage: Stage) {}

    show(names: Names): void {
        this.shown = names;
        this.layer.replaceChildren();
        const { links, joints } = this.about;
        this.labels = names === "links" ? links.map(({ name }, i) => this.label(name, i, this.middle(i)))
            : names === "joints" ? joints.filter((j) => j.nv > 0).map((j) => this.label(j.name, j.child, new THREE.Vector3())) : [];
        for (const label of this.labels) label.size = [label.box.offsetWidth, label.box.offsetHeight];
        this.update();
    }

    private label(name: string, link: number, at: THREE.Vector3): Label {
        const box = element("span", {}, name);
        this.layer.append(box);
        return { box, link, at, size: [0, 0] };
    }

    private middle(link: number): THREE.Vector3 {
        const box = this.body.bounds(link);
        return box.isEmpty() ? new THREE.Vector3() : box.getCenter(new THREE.Vector3()).applyMatrix4(this.body.links[link]!.matrix.clone().invert());
    }

    /** Moves the labels to the projected positions of the links. */
    update(): void {
        if (this.shown === "none") return;
        const { camera, renderer: { domElement: { clientWidth, clientHeight } } } = this.stage;
        camera.updateMatrixWorld();
        const placed: { left: number; top: number; right: number; bottom: number }[] = [];
        const seen = this.labels.map((label) => ({ label, at: label.at.clone().applyMatrix4(this.body.links[label.link]!.matrix).project(camera) }));
        for (const { label: { box, link, size: [width, height] }, at } of seen.sort((a, b) => a.at.z - b.at.z)) {
            const x = (at.x + 1) / 2 * clientWidth, y = (1 - at.y) / 2 * clientHeight;
            const left = x - width / 2, top = y - height / 2, right = left + width, bottom = top + height;
            const free = Math.abs(at.z) < 1 && left >= 0 && top >= 0 && right <= clientWidth && bottom <= clientHeight && !this.body.isHidden(link)
                && placed.every((p) => right < p.left || left > p.right || bottom < p.top || top > p.bottom);
            box.hidden = !free;
            if (!free) continue;
            box.style.transform = `translate(${left}px, ${top}px)`;
            placed.push({ left, top, right, bottom });
        }
    }
}
