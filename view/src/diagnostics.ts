// SPDX-License-Identifier: MIT
// The list of diagnostics of `tandem check`, with line and remedy. A click moves the camera to the link.

import type { Description, Diagnostic, PageData } from "./description.ts";
import { byId, element } from "./dom.ts";

/** Returns the link for an element of the file: the link itself, or the child link of a joint. -1: none. */
export function linkOf(about: Description, path: string): number {
    const name = /\/(link|joint|gazebo|transmission|loop\w*|coupling)\[@(?:name|reference)='(.*?)'\](?=\/|$)/.exec(path);
    if (!name) return -1;
    const link = about.links.findIndex((l) => l.name === name[2]);
    const joint = about.joints.find((j) => j.name === name[2]);
    const loop = [...about.loops, ...about.couplings].find((l) => l.name === name[2]);
    if (name[1] === "link" || name[1] === "gazebo") return link >= 0 ? link : (joint?.child ?? -1);
    return joint?.child ?? loop?.predecessor ?? link;
}

export function listDiagnostics(about: Description, data: PageData, fly: (link: number) => void): void {
    const list = byId("diagnostics");
    const order = { error: 0, warning: 1, note: 2 };
    const sorted = [...data.diagnostics].sort((a, b) => order[a.severity] - order[b.severity]);
    for (const entry of sorted) list.append(item(entry, linkOf(about, entry.element), fly));
    for (const { file, why } of data.left_out)
        list.append(element("li", { class: "warning" }, element("div", { class: "entry" },
            element("b", {}, "mesh"), element("span", {}, file), element("small", {}, why))));
    const count = sorted.length + data.left_out.length;
    byId("diagnostic-count").textContent = String(count);
    if (count === 0) list.append(element("li", { class: "none" }, "Nothing is wrong with this file."));
}

/** Returns how many meshes are missing and which options of the command would find them; "" if none is. */
export function missingText(leftOut: PageData["left_out"]): string {
    if (leftOut.length === 0) return "";
    const options = leftOut.map(({ file }) => {
        const name = /^(?:package|model):\/\/([^/]*)/i.exec(file)?.[1];
        return name === undefined || name.startsWith(".") ? "--mesh-root DIR" : `--package ${name}=DIR`;
    });
    const words = [...new Set(options)].sort((a, b) => Number(a.startsWith("--mesh")) - Number(b.startsWith("--mesh")));
    return `${leftOut.length} mesh${leftOut.length === 1 ? "" : "es"} missing: ${words.slice(0, 4).join(" ")}${words.length > 4 ? " …" : ""}`;
}

function item(entry: Diagnostic, link: number, fly: (link: number) => void): HTMLElement {
    const place = entry.line > 0 ? `line ${entry.line}` : "";
    const inside = [
        element("b", {}, entry.code), element("small", { class: "place" }, place),
        element("span", {}, entry.message),
    ];
    if (entry.remedy) inside.push(element("small", { class: "remedy" }, entry.remedy));
    const box = link >= 0
        ? element("button", { class: "entry", type: "button", click: () => fly(link) }, ...inside)
        : element("div", { class: "entry" }, ...inside);
    return element("li", { class: entry.severity }, box);
}
