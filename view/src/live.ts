// SPDX-License-Identifier: MIT
// A page that goes with a program: the window around its frame, which is a notebook's or that of
// Python's server, hands messages on (postMessage). All of the protocol stands here.
//
// To the page: { tandem: 1, n, y, say }, n and y together, or say alone
//     y     positions that the robot is to have (ny; rad, m): it goes there as far as loops close
//     n     a number, which ascends; the replies name it
//     say   a text that is shown
// From the page: { tandem: 1, begin, n, y, held, text }, as the page begins and then whenever the user or
// a motion of the page has moved the robot, no more than once a frame, and twice a second while the user has hold of it
//     begin whether it is the first
//     y     where the robot is
//     n     of the last message that the page has had, 0 before
//     held  whether the user has hold of it; what messages say of y meanwhile is dropped
//     text  what kept the robot from the y of message n, else ""
//
// Only the newest message is kept for the next frame: a program may send as many as it likes.

import type { Robot } from "./core.ts";

const HOLD = 300; // ms for which the user has hold of the robot after a slider or a key has moved it
const REPEAT = 500; // ms after which a hold is told again, which the other side forgets with a page that has gone

interface Message { tandem: 1; n?: number; y?: number[]; say?: string }

export class Live {
    /** a frame is wanted */
    onMessage: () => void = () => undefined;
    /** the robot is about to be moved by a message: motions of the page end */
    onMove: () => void = () => undefined;
    /** whether the pointer has hold of a link, and whether the page moves the robot by itself */
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
        document.addEventListener("visibilitychange", () => this.tell()); // there are no frames any more
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
            this.say("a message has no y of this robot");
            return;
        }
        this.newest = { n, y };
        this.onMessage();
    }

    /** Moves the robot to the newest message; whether there was one. */
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

    /** The first reply, or one where the robot is elsewhere than before. */
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

    /** The user lets go after so many ms, unless a button is pressed, or the robot is moved meanwhile. */
    private hold(ms: number): void {
        window.clearTimeout(this.release);
        this.release = window.setTimeout(() => {
            if (this.due) this.hold(HOLD); // it has not been told yet
            if (this.pressed || this.due) return;
            this.held = false;
            this.reply();
        }, ms);
    }

    private reply(): void {
        if (this.due || window.parent === window) return;
        this.due = true;
        if (document.hidden) window.setTimeout(() => this.tell(), 0); // where there are no frames
        else this.frameDue = requestAnimationFrame(() => this.tell());
    }

    /** Sends what is due. */
    private tell(): void {
        if (!this.due) return;
        this.due = false;
        cancelAnimationFrame(this.frameDue);
        const { begin, n, held, text, robot } = this;
        this.begin = false;
        window.parent.postMessage({ tandem: 1, begin, n, y: Array.from(robot.y), held, text }, "*"); // whose window it is no frame knows
    }
}
