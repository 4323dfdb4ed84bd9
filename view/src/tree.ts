// SPDX-License-Identifier: MIT
// The tree of links as a list, indented at branches. Shows and hides links, and selects one.

import type { Description } from "./description.ts";
import { byId, element } from "./dom.ts";

export class LinkTree {
    /** called when the user selects a link */
    onPick: (link: number) => void = () => undefined;
    /** called to show or hide links */
    onShow: (links: Set<number>, on: boolean) => void = () => undefined;
    private readonly rows = new Map<number, { row: HTMLElement; box: HTMLInputElement }>();
    private readonly children: number[][];

    constructor(private readonly about: Description) {
        const { links, joints } = about;
        this.children = links.map(() => []);
        for (const joint of joints) this.children[joint.parent]?.push(joint.child);
        const list = byId("links");
        const next: [link: number, depth: number][] = [[about.root, 0]]; // iterative, because chains can be long
        for (let at = next.pop(); at; at = next.pop()) {
            const [link, depth] = at, below = this.children[link]!;
            list.append(this.row(link, depth));
            for (const child of [...below].reverse()) next.push([child, depth + (below.length > 1 ? 1 : 0)]);
        }
        byId("link-count").textContent = String(links.length);
    }

    private row(link: number, depth: number): HTMLElement {
        const { name, parentJoint } = this.about.links[link]!, joint = this.about.joints[parentJoint];
        const box = element("input", { type: "checkbox", "aria-label": `show ${name}`, title: "show this link; with Shift also all links below it" });
        box.checked = true;
        box.addEventListener("click", (e) => this.onShow(e.shiftKey ? this.carried(link) : new Set([link]), box.checked));
        const row = element("li", {}, box, element("button", { type: "button", click: () => this.onPick(link) }, name),
            element("small", {}, joint ? `${joint.type} ${joint.name}` : "root"));
        row.style.paddingLeft = `${10 * Math.min(depth, 12)}px`;
        this.rows.set(link, { row, box });
        return row;
    }

    /** Returns the link and all links that it supports. */
    private carried(link: number): Set<number> {
        const all = new Set([link]);
        for (const each of all) for (const child of this.children[each]!) all.add(child);
        return all;
    }

    /** Updates the list for hidden links and the selected link (-1: none). */
    update(isHidden: (link: number) => boolean, told: number): void {
        for (const [link, { row, box }] of this.rows) {
            box.checked = !isHidden(link);
            if (link === told) row.setAttribute("aria-current", "true");
            else row.removeAttribute("aria-current");
        }
    }
}
