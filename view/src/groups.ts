// SPDX-License-Identifier: MIT
// Groups joints for the panel of coordinates. A limb is a chain of moving joints between two branching
// points of the tree. Elastic joints have separate groups.

import type { Description, Joint } from "./description.ts";

export interface Group {
    name: string;
    elastic: boolean;
    /** joints */
    joints: Set<number>;
}

/** Returns true for joints of flexible links, and joints with a spring and without a motor. */
export function isElastic(joint: Joint): boolean {
    return joint.flexible !== null || (joint.spring !== 0 && !joint.motor);
}

/** Returns the nearest moving, inelastic joint on the path to the root; -1: none. */
function above(about: Description, joint: number): number {
    for (let at = joint; ;) {
        const link = about.links[about.joints[at]!.parent];
        at = link ? link.parentJoint : -1;
        if (at < 0 || (about.joints[at]!.nv > 0 && !isElastic(about.joints[at]!))) return at;
    }
}

/** Returns the common prefix of names, up to a word boundary. */
function commonPrefix(names: string[]): string {
    let prefix = names[0]!;
    for (const name of names) while (!name.startsWith(prefix)) prefix = prefix.slice(0, -1);
    const whole = names.every((name) => name.length === prefix.length || /[\W_\d]/.test(name[prefix.length]!));
    return (whole ? prefix : prefix.replace(/[^\W_]+$/, "")).replace(/[\W_]+$/, "");
}

/** Returns groups of the joints in rows (joint → number of rows), in joint order, elastic groups last. */
export function groupsOf(about: Description, rows: Map<number, number>): Group[] {
    const moving = about.joints.flatMap((j, i) => (j.nv > 0 && !isElastic(j) ? [i] : []));
    const parent = new Map(moving.map((i) => [i, above(about, i)]));
    const children = new Map<number, number>();
    for (const up of parent.values()) children.set(up, (children.get(up) ?? 0) + 1);
    // first joint of the limb that contains each joint
    const first = new Map<number, number>();
    for (const i of moving) {
        const up = parent.get(i)!;
        first.set(i, up >= 0 && children.get(up) === 1 && first.has(up) ? first.get(up)! : i);
    }
    const sizes = new Map<number, number>();
    for (const i of moving) sizes.set(first.get(i)!, (sizes.get(first.get(i)!) ?? 0) + (rows.get(i) ?? 0));
    /** Returns the limb of a joint. A limb with fewer than two rows is merged into its parent limb. */
    const limbOf = (i: number): number => {
        let limb = first.get(i)!;
        while ((sizes.get(limb) ?? 0) < 2 && parent.get(limb)! >= 0) limb = first.get(parent.get(limb)!)!;
        return limb;
    };
    const made = new Map<string, Group>();
    about.joints.forEach((joint, i) => {
        if (!rows.get(i)) return;
        const key = joint.flexible !== null ? `flexible ${joint.flexible}` : isElastic(joint) ? "springs" : `limb ${limbOf(i)}`;
        const name = joint.flexible ?? (isElastic(joint) ? "springs" : "");
        const group = made.get(key) ?? { name, elastic: isElastic(joint), joints: new Set() };
        group.joints.add(i);
        made.set(key, group);
    });
    const groups = [...made.values()];
    const namesOf = (group: Group) => [...group.joints].map((i) => about.joints[i]!.name);
    for (const group of groups) group.name ||= commonPrefix(namesOf(group));
    const taken = groups.map((g) => g.name);
    groups.forEach((group) => {
        const names = namesOf(group);
        if (!group.elastic && (group.name.length < 3 || taken.filter((n) => n === group.name).length > 1))
            group.name = names.length === 1 ? names[0]! : `${names[0]} … ${names[names.length - 1]}`;
    });
    return [...groups.filter((g) => !g.elastic), ...groups.filter((g) => g.elastic)];
}
