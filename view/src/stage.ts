// SPDX-License-Identifier: MIT
// Renderer, camera, lights and ground, without the robot. Draws a frame only after a change.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

interface Colours {
    sky: string;
    line: string;
    strong: string;
    hemisphere: [string, string, number];
    key: number;
}

const LIGHT: Colours = {
    sky: "#eef1f5", line: "#c3cad5", strong: "#a3aebc",
    hemisphere: ["#ffffff", "#aab3c2", 1.35], key: 2.3,
};
const DARK: Colours = {
    sky: "#12161c", line: "#2b3441", strong: "#475365",
    hemisphere: ["#cfdcf2", "#242b36", 1.1], key: 2.2,
};

export class Stage {
    readonly scene = new THREE.Scene();
    readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 100);
    readonly renderer: THREE.WebGLRenderer;
    readonly controls: OrbitControls;
    /** called before a frame is drawn; returns true to request another frame */
    onFrame: (now: number) => boolean = () => false;
    private readonly hemisphere = new THREE.HemisphereLight();
    private readonly key = new THREE.DirectionalLight("#ffffff");
    private readonly fill = new THREE.DirectionalLight("#b8ccff", 0.5);
    private readonly floor: THREE.Mesh;
    private readonly grid = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), gridMaterial());
    private dark = false;
    private size = 1;
    private level = 0;
    private wanted = false;
    private flight: { from: THREE.Vector3[]; to: THREE.Vector3[]; start: number } | null = null;

    constructor(private readonly box: HTMLElement) {
        this.renderer = makeRenderer();
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        const canvas = this.renderer.domElement;
        canvas.setAttribute("role", "img");
        canvas.tabIndex = 0;
        box.append(canvas);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.addEventListener("change", () => this.draw());
        this.controls.addEventListener("start", () => { this.flight = null; });
        this.key.castShadow = true;
        this.key.shadow.mapSize.set(2048, 2048);
        this.key.shadow.bias = -0.0004;
        this.key.shadow.normalBias = 0.02;
        this.floor = new THREE.Mesh(new THREE.CircleGeometry(1, 64), new THREE.ShadowMaterial({ opacity: 0.16 }));
        this.floor.receiveShadow = true;
        this.scene.add(this.hemisphere, this.key, this.key.target, this.fill, this.grid, this.floor);
        new ResizeObserver(() => this.resize()).observe(box);
        this.resize();
    }

    /** Fits camera, light and ground to a robot of the given size (m), with its lowest point at level. */
    fit(centre: THREE.Vector3, size: number, level: number): void {
        this.size = size;
        this.level = level;
        this.camera.near = size / 200;
        this.camera.far = size * 60;
        this.camera.updateProjectionMatrix();
        this.controls.minDistance = size / 20;
        this.controls.maxDistance = size * 12;
        this.key.position.copy(centre).add(new THREE.Vector3(0.6, -0.9, 1.7).multiplyScalar(size * 1.4));
        this.key.target.position.copy(centre);
        this.fill.position.set(-1, 0.8, 0.4);
        const shadow = this.key.shadow.camera;
        shadow.left = shadow.bottom = -size * 1.3;
        shadow.right = shadow.top = size * 1.3;
        shadow.near = size * 0.1;
        shadow.far = size * 6;
        shadow.updateProjectionMatrix();
        this.floor.position.set(centre.x, centre.y, level - size * 0.001);
        this.floor.scale.setScalar(size * 8);
        this.makeGrid();
        this.look(centre, size);
    }

    /** Moves the camera to the default angle. */
    look(centre: THREE.Vector3, size: number, fly = false): void {
        // distance at which a sphere around the robot fits the narrower side of the view
        const half = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2)) * Math.min(1, this.camera.aspect);
        const direction = new THREE.Vector3(1.15, -1.35, 0.75).normalize();
        const position = centre.clone().addScaledVector(direction, (0.62 * size) / half);
        if (fly) {
            this.fly(position, centre);
        } else {
            this.camera.position.copy(position);
            this.controls.target.copy(centre);
            this.controls.update();
        }
    }

    /** Moves the camera to an object of the given size, keeping its direction. */
    approach(centre: THREE.Vector3, size: number): void {
        const direction = this.camera.position.clone().sub(this.controls.target).normalize();
        this.fly(centre.clone().addScaledVector(direction, Math.max(size * 4, this.size * 0.5)), centre);
    }

    /** Rotates the camera about its target, by angles to the right and up. */
    turn(right: number, up: number): void {
        const { target } = this.controls, way = this.camera.position.clone().sub(target);
        const at = new THREE.Spherical().setFromVector3(new THREE.Vector3(way.x, way.z, -way.y)); // y is up in three.js
        at.theta += right;
        at.phi = THREE.MathUtils.clamp(at.phi - up, 0.02, Math.PI - 0.02);
        const to = new THREE.Vector3().setFromSpherical(at);
        this.camera.position.set(to.x, -to.z, to.y).add(target);
        this.controls.update();
        this.draw();
    }

    /** Moves camera and target, in fractions of their distance. */
    shift(right: number, up: number): void {
        const distance = this.controls.getDistance();
        const by = new THREE.Vector3(right * distance, up * distance, 0).applyQuaternion(this.camera.quaternion);
        this.camera.position.add(by);
        this.controls.target.add(by);
        this.controls.update();
        this.draw();
    }

    nearer(factor: number): void {
        const { target, minDistance, maxDistance } = this.controls;
        const way = this.camera.position.clone().sub(target);
        way.setLength(THREE.MathUtils.clamp(way.length() / factor, minDistance, maxDistance));
        this.camera.position.copy(target).add(way);
        this.controls.update();
        this.draw();
    }

    /** Handles a key of the view. Returns false for other keys. */
    press(key: string, shift: boolean): boolean {
        const way = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] } as Record<string, [number, number]>)[key];
        if (way && shift) this.shift(0.05 * way[0], 0.05 * way[1]);
        else if (way) this.turn(0.1 * way[0], 0.1 * way[1]);
        else if (key === "+" || key === "=") this.nearer(1.15);
        else if (key === "-" || key === "−") this.nearer(1 / 1.15);
        else return false;
        return true;
    }

    private fly(position: THREE.Vector3, target: THREE.Vector3): void {
        this.flight = {
            from: [this.camera.position.clone(), this.controls.target.clone()],
            to: [position, target],
            start: performance.now(),
        };
        this.draw();
    }

    private moveFlight(now: number): boolean {
        if (!this.flight) return false;
        const { from, to, start } = this.flight;
        const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
        const part = calm ? 1 : Math.min(1, Math.max(0, (now - start) / 600));
        const eased = part * part * (3 - 2 * part);
        this.camera.position.lerpVectors(from[0]!, to[0]!, eased);
        this.controls.target.lerpVectors(from[1]!, to[1]!, eased);
        if (part >= 1) this.flight = null;
        this.controls.update();
        return this.flight !== null;
    }

    setDark(dark: boolean): void {
        this.dark = dark;
        const c = dark ? DARK : LIGHT;
        this.scene.background = new THREE.Color(c.sky);
        this.hemisphere.color.set(c.hemisphere[0]);
        this.hemisphere.groundColor.set(c.hemisphere[1]);
        this.hemisphere.intensity = c.hemisphere[2];
        this.hemisphere.position.set(0, 0, 1);
        this.key.intensity = c.key;
        (this.floor.material as THREE.ShadowMaterial).opacity = dark ? 0.5 : 0.2;
        this.makeGrid();
        this.draw();
    }

    /** Makes a grid with a spacing of 1, 2 or 5 times a power of ten, which fades away from the robot. */
    private makeGrid(): void {
        const c = this.dark ? DARK : LIGHT;
        const rough = this.size / 6;
        const power = 10 ** Math.floor(Math.log10(rough));
        const { uniforms } = this.grid.material as THREE.ShaderMaterial;
        uniforms.distance!.value = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
        uniforms.reach!.value = this.size * 2.6;
        uniforms.line!.value.set(c.line);
        uniforms.strong!.value.set(c.strong);
        uniforms.centre!.value.set(this.key.target.position.x, this.key.target.position.y);
        this.grid.scale.setScalar(this.size * 6);
        this.grid.position.set(this.key.target.position.x, this.key.target.position.y, this.level - this.size * 0.002);
    }

    private resize(): void {
        const { clientWidth, clientHeight } = this.box;
        if (clientWidth === 0 || clientHeight === 0) return;
        this.renderer.setSize(clientWidth, clientHeight);
        this.camera.aspect = clientWidth / clientHeight;
        this.camera.updateProjectionMatrix();
        this.draw();
    }

    /** Requests a frame. */
    draw(): void {
        if (this.wanted) return;
        this.wanted = true;
        requestAnimationFrame((now) => {
            this.wanted = false;
            const flying = this.moveFlight(now);
            const more = this.onFrame(now);
            this.renderer.render(this.scene, this.camera);
            if (flying || more) this.draw();
        });
    }
}

/** Makes a renderer. Without WebGL it draws nothing, but the rest of the page works. */
function makeRenderer(): THREE.WebGLRenderer {
    const canvas = document.createElement("canvas");
    if (canvas.getContext("webgl2")) return new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    const none = () => undefined;
    return { domElement: canvas, shadowMap: {}, setPixelRatio: none, setSize: none, render: none } as unknown as THREE.WebGLRenderer;
}

function gridMaterial(): THREE.ShaderMaterial {
    return new THREE.ShaderMaterial({
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
        uniforms: {
            distance: { value: 1 }, reach: { value: 1 }, centre: { value: new THREE.Vector2() },
            line: { value: new THREE.Color() }, strong: { value: new THREE.Color() },
        },
        vertexShader: `varying vec2 at;
            void main() {
                vec4 world = modelMatrix * vec4(position, 1.0);
                at = world.xy;
                gl_Position = projectionMatrix * viewMatrix * world;
            }`,
        fragmentShader: `varying vec2 at;
            uniform float distance, reach;
            uniform vec2 centre;
            uniform vec3 line, strong;
            // how much of a pixel the lines at every step take
            float lines(vec2 p) {
                vec2 near = abs(fract(p - 0.5) - 0.5) / fwidth(p);
                return 1.0 - min(min(near.x, near.y), 1.0);
            }
            void main() {
                float thin = lines(at / distance), thick = lines(at / (5.0 * distance));
                float fade = 1.0 - smoothstep(0.25, 1.0, length(at - centre) / reach);
                gl_FragColor = vec4(mix(line, strong, thick), max(0.75 * thin, thick) * fade);
                #include <colorspace_fragment>
            }`,
    });
}
