// SPDX-License-Identifier: MIT
// Live pages, which a program controls. The page is in a frame, and the window around the frame (of a
// notebook or of Python's server) relays messages by postMessage. This comment defines the protocol.
//
// To the page: { tandem: 1, n, y, say }, with n and y together, or say alone
//     y     positions for the robot (ny; rad, m), which moves there as far as loops can be closed
//     n     an ascending number, which replies refer to
//     say   a text to show
// From the page: { tandem: 1, begin, n, y, held, text }, sent at the start, and when the user or a motion of
// the page has moved the robot, at most once per frame; also twice per second while the user holds the robot
//     begin whether this is the first message
//     y     position of the robot
//     n     number of the last message that the page received, initially 0
//     held  whether the user holds the robot; y of incoming messages is then dropped
//     text  what kept the robot from reaching y of message n, else ""
//
// The page processes only the newest message per frame, so a program can send at any rate.

import type { Robot } from "./core.ts";

const HOLD = 300; // ms for which the user keeps hold of the robot after moving it by slider or key
const REPEAT = 500; // ms between messages that renew a hold; without them it expires, so closed pages hold nothing

interface Message { tandem: 1; n?: number; y?: number[]; say?: string }

export class Live {
    /** called to request a frame */
    onMessage: () => void = () => undefined;
    /** called before a message moves the robot: motions of the page end */
    onMove: () => void = () => undefined;
    /** whether the user drags a link, and whether a motion of the page is running */
    grabbed: () => boolean = () => false;
    moving: () => boolean = () => false;
    say: (text: string) => void = () => undefined;
    private begin = true;
    private newest: Required<Pick<Message, "n" | "y">> | null = null;
    private n = 0;
    private text = "";
    private held = false;
    private pressed = false;
    private release = 0;
    private due = false;
    private frameDue = 0;
    private known: Float64Array;

    constructor(private readonly robot: Robot) {
        this.known = Float64Array.from(robot.y);
        window.addEventListener("message", (e) => {
            if (e.source === window.parent && (e.data as Message | null)?.tandem === 1) this.receive(e.data as Message);
        });
        window.addEventListener("pointerdown", () => { this.pressed = true; }, { capture: true });
        document.addEventListener("visibilitychange", () => this.tell()); // hidden pages get no frames
        window.setInterval(() => {
            if (this.held) this.reply();
        }, REPEAT);
        for (const end of ["pointerup", "pointercancel"] as const)
            window.addEventListener(end, () => {
                this.pressed = false;
                if (this.held) this.hold(0);
            }, { capture: true });
    }

    private receive({ n, y, say }: Message): void {
        if (typeof say === "string") this.say(say);
        if (typeof n !== "number" || !Array.isArray(y)) return;
        if (y.length !== this.robot.y.length || !y.every((x) => Number.isFinite(x))) {
            this.say("a message has no valid y for this robot");
            return;
        }
        this.newest = { n, y };
        this.onMessage();
    }

    /** Moves the robot to y of the newest message. Returns false if there was none or the user holds the robot. */
    frame(): boolean {
        const { newest } = this;
        if (!newest) return false;
        this.newest = null;
        this.n = newest.n;
        if (this.grabbed() && !this.held) {
            this.held = true;
            this.reply();
        }
        if (this.held) return false;
        this.onMove();
        const text = this.robot.moveTo(newest.y) ?? "";
        this.known = Float64Array.from(this.robot.y);
        if (text !== this.text) this.say(text);
        if (text !== "" || this.text !== "") this.reply();
        this.text = text;
        return true;
    }

    /** Sends the first reply, or a reply if the robot has moved. */
    changed(): void {
        const { y } = this.robot;
        if (!this.begin && this.known.every((x, i) => Object.is(x, y[i]))) return;
        this.known = Float64Array.from(y);
        if (!this.begin && !this.moving()) {
            this.held = true;
            this.hold(HOLD);
        }
        this.reply();
    }

    /** Ends the user's hold after ms, unless a button is pressed or the robot moves before. */
    private hold(ms: number): void {
        window.clearTimeout(this.release);
        this.release = window.setTimeout(() => {
            if (this.due) this.hold(HOLD); // the hold was not sent yet
            if (this.pressed || this.due) return;
            this.held = false;
            this.reply();
        }, ms);
    }

    private reply(): void {
        if (this.due || window.parent === window) return;
        this.due = true;
        if (document.hidden) window.setTimeout(() => this.tell(), 0); // hidden pages get no frames
        else this.frameDue = requestAnimationFrame(() => this.tell());
    }

    /** Sends a reply if one is due. */
    private tell(): void {
        if (!this.due) return;
        this.due = false;
        cancelAnimationFrame(this.frameDue);
        const { begin, n, held, text, robot } = this;
        this.begin = false;
        window.parent.postMessage({ tandem: 1, begin, n, y: Array.from(robot.y), held, text }, "*"); // a frame does not know the parent's origin
    }
}
