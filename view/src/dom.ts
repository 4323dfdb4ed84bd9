// SPDX-License-Identifier: MIT
// Creates elements of the page. Names from the file become text nodes, never markup.

type Child = Node | string;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** Creates an element. Attributes that are functions become listeners; the value true sets a boolean attribute. */
export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") made.addEventListener(name, value);
        else if (typeof value !== "boolean") made.setAttribute(name, String(value));
        else if (value) made.setAttribute(name, "");
    }
    made.append(...children);
    return made;
}

export function byId<T extends HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (!found) throw new Error(`no element ${id}`);
    return found as T;
}

/** Creates a checkbox with a label. changed is called with its new state. */
export function toggle(label: string, on: boolean, changed: (on: boolean) => void, key?: string): HTMLLabelElement {
    const box = element("input", { type: "checkbox", change: () => changed(box.checked) });
    box.checked = on;
    const made = element("label", { class: "switch" }, box, element("span", { class: "label" }, label));
    if (key) made.append(element("kbd", {}, key));
    return made;
}

/** Formats a number with as many decimals as its magnitude needs, up to digits. */
export function brief(x: number | null | undefined, digits = 4): string {
    if (x === null || x === undefined || !Number.isFinite(x)) return "–";
    if (x !== 0 && (Math.abs(x) >= 1e6 || Math.abs(x) < 1e-4)) return minus(x.toExponential(Math.max(digits - 2, 1)));
    const places = x === 0 ? 0 : Math.min(6, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(x)))));
    return minus(String(Number(x.toFixed(places))));
}

/** Formats a number with a fixed number of decimals, for numbers that change continuously. */
export function steady(x: number, places: number): string {
    const text = x.toFixed(places);
    return minus(Number(text) === 0 ? text.replace("-", "") : text);
}

function minus(text: string): string {
    return text.replace(/^-/, "−");
}
