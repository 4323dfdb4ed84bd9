// SPDX-License-Identifier: MIT
// Simulates the robot under gravity with tandem's simulation, in real time, or slower on a slow
// machine.

import type { Robot } from "./core.ts";
import { byId, element, steady, toggle } from "./dom.ts";

const MOST = 20; // ms of computing per frame; motions that need more are shown in slow motion

export class Play {
    /** called when it starts and stops; a failure is shown */
    onChange: () => void = () => undefined;
    say: (text: string) => void = () => undefined;
    running = false;
    private damping = 0;
    private passive = true;
    private stops = true;
    private time = 0;
    private last = 0;
    private pace = 1; // simulated time per real time, averaged over about half a second
    private begin = 0; // energy minus work at the start
    private readonly button = byId<HTMLButtonElement>("play");
    private readonly readout = byId("energy");

    constructor(private readonly robot: Robot) {
        this.button.addEventListener("click", () => this.toggle());
        const damping = element("input", { type: "range", min: 0, max: 100, step: 1, value: 0, "aria-label": "Damping" });
        const value = element("output", {}, "0");
        damping.addEventListener("input", () => {
            this.setDamping(dampingOf(Number(damping.value) / 100, robot.about.mass));
            value.textContent = this.damping === 0 ? "0" : this.damping.toPrecision(2);
        });
        byId("play-options").append(
            element("label", { class: "field" }, element("span", {}, "Damping"), damping, value, element("small", {}, "N m s")),
            toggle("Damping and friction of the file", true, (on) => { this.setForces(on, this.stops); }),
            toggle("Stops at limits", true, (on) => { this.setForces(this.passive, on); }));
    }

    setDamping(damping: number): void {
        this.damping = damping;
        this.robot.setDamping(damping);
    }

    setForces(passive: boolean, stops: boolean): void {
        this.passive = passive;
        this.stops = stops;
        this.restart();
    }

    /** Restarts a running simulation from the robot's current state. */
    restart(): void {
        if (this.running) this.start();
    }

    toggle(): void {
        if (this.running) this.stop();
        else this.start();
    }

    start(): void {
        this.robot.setDamping(this.damping);
        // lower accuracy with stops and friction, to run in real time
        const failed = this.robot.play(this.passive, this.stops, this.stops ? 1e-4 : 1e-5, this.stops ? 0.1 : 0.05);
        this.say(failed ?? "");
        this.running = failed === null;
        this.time = 0;
        this.last = 0;
        this.pace = 1;
        if (this.running) {
            this.advance(0);
            this.begin = this.balance;
        }
        this.show();
        this.onChange();
    }

    stop(): void {
        if (!this.running) return;
        this.robot.pull(-1, 0);
        this.robot.stop();
        this.running = false;
        this.show();
        this.onChange();
    }

    /** Kinetic plus potential energy minus work, which is constant. */
    get balance(): number {
        const [kinetic, potential, work] = this.robot.array("energy");
        return kinetic! + potential! - work!;
    }

    /** Change of the balance since the start (J). */
    get drift(): number { return this.balance - this.begin; }

    /** Advances by dt (s). Returns false if the motion has ended. */
    advance(dt: number, most = Infinity): boolean {
        const failed = this.robot.advance(this.time + dt, most);
        this.time = this.robot.time; // lags if the steps took too long
        if (failed) {
            this.say(`the motion ends after ${steady(this.time, 2)} s: ${failed}`);
            this.stop();
        }
        return failed === null;
    }

    frame(now: number): void {
        const passed = this.last === 0 ? 1 / 60 : (now - this.last) / 1000, before = this.time;
        this.last = now;
        if (!this.advance(Math.min(passed, 1 / 20), MOST)) return;
        if (passed > 0) this.pace += Math.min(1, 2 * passed) * ((this.time - before) / passed - this.pace);
        this.show();
    }

    private show(): void {
        this.button.textContent = this.running ? "Hold" : "Let go";
        this.button.setAttribute("aria-pressed", String(this.running));
        if (!this.running) return;
        const [kinetic, potential] = this.robot.array("energy");
        const slow = this.pace < 0.95 ? `, ${this.pace.toPrecision(1)} × real time` : "";
        this.readout.textContent = `${steady(this.time, 2)} s${slow}   kinetic ${steady(kinetic!, 3)} J   potential ${steady(potential!, 3)} J   balance ${this.drift.toExponential(1)} J`;
    }
}

/** Returns the damping for a slider position: zero at the left end, then exponential; larger for heavy robots. */
function dampingOf(part: number, mass: number): number {
    return part === 0 ? 0 : 1e-3 * Math.max(mass, 0.01) * 1000 ** part;
}
