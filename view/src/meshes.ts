// SPDX-License-Identifier: MIT
// Meshes in the page's data. The loaders of three.js read each file once, and all uses share geometry
// and images. Nothing is fetched: files that a mesh refers to are in the data, or missing.

import * as THREE from "three";
import { ColladaLoader } from "three/addons/loaders/ColladaLoader.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { MTLLoader } from "three/addons/loaders/MTLLoader.js";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import { STLLoader } from "three/addons/loaders/STLLoader.js";
import { TGALoader } from "three/addons/loaders/TGALoader.js"; // no extra size: ColladaLoader includes it
import { bytesOf, unpacked } from "./bytes.ts";
import type { MeshFile, PageData } from "./description.ts";

const WHITE_PICTURE = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=";

const MOST_POINTS = 1 << 24; // largest number of pixels of an image
// ColladaLoader would fetch names that end in .tga, so this suffix is appended
const NOT_TGA = /\.picture$/;

/** The surface of a mesh in its file; null: none. userData.yields: a material of the URDF has priority. */
export type Surface = THREE.MeshStandardMaterial | null;

interface Read {
    object: THREE.Object3D;
    /** rotation of its up axis to z */
    turn: THREE.Quaternion;
}

export class Meshes {
    private readonly read = new Map<string, Read>();
    readonly failed: { file: string; why: string }[] = [];

    /** Loads all meshes of the page. Damaged ones are listed in failed. */
    static async load(data: PageData): Promise<Meshes> {
        const meshes = new Meshes();
        const all = Object.entries(data.meshes);
        await Promise.all(all.map(async ([name, file]) => {
            if ("same" in file) return;
            try {
                meshes.read.set(name, await readMesh(file));
            } catch (error) {
                meshes.failed.push({ file: name, why: error instanceof Error ? error.message : String(error) });
            }
        }));
        for (const [name, file] of all) if ("same" in file && meshes.has(file.same)) meshes.read.set(name, meshes.read.get(file.same)!);
        return meshes;
    }

    has(file: string | null): boolean { return this.read.has(file ?? ""); }

    /** Makes an object from a file, in m, with the axes of the file, or turned to z up. */
    use(file: string, turned: boolean, material: (surface: Surface) => THREE.Material): THREE.Object3D {
        const { object, turn } = this.read.get(file)!;
        const made = new THREE.Group();
        made.add(object.clone());
        if (turned) made.quaternion.copy(turn);
        made.traverse((part) => {
            if (!(part instanceof THREE.Mesh)) return;
            const own = part.material as Surface | Surface[];
            part.material = Array.isArray(own) ? own.map(material) : material(own);
        });
        return made;
    }
}

const Y_TO_Z = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(1, 0, 0), Math.PI / 2);
const X_TO_Z = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), -Math.PI / 2);

/** Returns a file that a mesh refers to, in base64. */
function besides(name: string, file: MeshFile): string | undefined {
    return file.files && Object.hasOwn(file.files, name) ? file.files[name] : undefined;
}

/** Decodes percent escapes. File names can contain a % that is not an escape. */
function decoded(url: string): string {
    try {
        return decodeURIComponent(url);
    } catch {
        return url;
    }
}

/** Converts a TGA image to a format that browsers read. Returns a white image if it is damaged. */
function tgaPicture(base64: string): string {
    const bytes = bytesOf(base64), size = new DataView(bytes.buffer);
    const paper = document.createElement("canvas"), pen = paper.getContext("2d");
    try {
        if (size.getUint16(12, true) * size.getUint16(14, true) > MOST_POINTS) throw new Error("it is too large");
        const { data, width, height } = new TGALoader().parse(bytes.buffer) as { data: Uint8Array; width: number; height: number };
        [paper.width, paper.height] = [width, height];
        pen!.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
        return paper.toDataURL();
    } catch {
        return WHITE_PICTURE;
    }
}

/** Returns a loading manager that finds the files that a mesh refers to, and a promise that they are loaded. */
function filesOf(file: MeshFile): { manager: THREE.LoadingManager; done: () => Promise<void> } {
    const manager = new THREE.LoadingManager();
    const types: Record<string, string> = { jpg: "jpeg", svg: "svg+xml" };
    let busy = false, finish = () => { busy = false; };
    manager.setURLModifier((asked) => {
        if (/^(blob|data):/.test(asked)) return asked;
        const url = asked.replace(NOT_TGA, "");
        const base64 = besides(url, file) ?? besides(decoded(url), file);
        const suffix = /\.(\w+)$/.exec(url)?.[1]?.toLowerCase() ?? "";
        if (base64 !== undefined && suffix === "tga") return tgaPicture(base64);
        return base64 === undefined ? WHITE_PICTURE : `data:image/${types[suffix] ?? suffix};base64,${base64}`;
    });
    manager.onStart = () => { busy = true; };
    manager.onLoad = () => finish();
    return { manager, done: () => (busy ? new Promise((resolve) => { finish = resolve; }) : Promise.resolve()) };
}

async function readMesh(file: MeshFile): Promise<Read> {
    const bytes = await unpacked(file);
    const { manager, done } = filesOf(file);
    let object: THREE.Object3D, turn = new THREE.Quaternion();
    let named = (_: THREE.Material): boolean => true;
    // whether images are available: embedded ones, or any that the file refers to
    let pictures = Object.keys(file.files ?? {}).some((name) => !/\.(mtl|bin)$/i.test(name));
    if (file.type === "stl") {
        object = readStl(bytes);
    } else if (file.type === "obj") {
        const loader = new OBJLoader(manager);
        const lists = Object.keys(file.files ?? {}).filter((name) => /\.mtl$/i.test(name));
        const text = lists.map((name) => new TextDecoder().decode(bytesOf(file.files![name]!))).join("\n");
        const materials = new MTLLoader(manager).parse(text, "");
        materials.preload();
        if (lists.length > 0) loader.setMaterials(materials);
        named = (m) => Object.hasOwn(materials.materialsInfo, m.name) || m.vertexColors;
        // removes lines and points: three.js would draw only them for objects that have any
        object = loader.parse(new TextDecoder().decode(bytes).replace(/\\\r?\n/g, " ").replace(/^[ \t]*[lp][ \t].*$/gm, ""));
    } else if (file.type === "glb" || file.type === "gltf") {
        object = await readGltf(bytes, file, manager);
        pictures ||= object.userData.whole as boolean;
        turn = Y_TO_Z;
        named = (m) => m.name !== "" || (m as THREE.MeshStandardMaterial).map !== null || !isWhite(m);
    } else {
        const text = new TextDecoder().decode(bytes);
        const up = /<up_axis>\s*(\w+)/.exec(text)?.[1] ?? "Y_UP";
        turn = up === "Y_UP" ? Y_TO_Z : up === "X_UP" ? X_TO_Z : turn;
        // keeps three.js from rotating a scene with z up to y up, with a warning
        const read = new ColladaLoader(manager).parse(text.replace(/<up_axis>[^<]*</, "<up_axis>Y_UP<")
            .replace(/\.tga(\s*<\/(?:init_from|ref)>)/gi, ".tga.picture$1"), "");
        if (!read) throw new Error("it is not a COLLADA file");
        object = read.scene;
        named = (m) => m.name !== THREE.Loader.DEFAULT_MATERIAL_NAME;
    }
    await done();
    return { object: mended(object, named, pictures), turn };
}

/** Reads an STL with the colors of Materialise's header. Ignores transparency, because many programs write 0 or a blank
    there. If the color words of all facets are 0, the program wrote none, and the header's color applies to all. */
function readStl(bytes: Uint8Array): THREE.Object3D {
    const geometry = new STLLoader().parse(bytes.buffer as ArrayBuffer) as THREE.BufferGeometry & { hasColors?: boolean };
    geometry.deleteAttribute("normal"); // normals in files may be zero or wrong
    if (!geometry.hasColors) return new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ name: THREE.Loader.DEFAULT_MATERIAL_NAME }));
    const vertexColors = geometry.getAttribute("color").array.some((x) => x !== 0);
    const material = new THREE.MeshStandardMaterial({ vertexColors });
    const at = new TextDecoder("latin1").decode(bytes.subarray(0, 80)).indexOf("COLOR=") + 6, [r, g, b] = bytes.subarray(at, at + 3);
    if (!vertexColors) material.color.setRGB(r! / 255, g! / 255, b! / 255, THREE.SRGBColorSpace);
    material.userData.yields = true;
    return new THREE.Mesh(geometry, material);
}

/** Reads a text or binary glTF with embedded or separate buffers and images. userData.whole: all images are embedded. */
async function readGltf(bytes: Uint8Array, file: MeshFile, manager: THREE.LoadingManager): Promise<THREE.Object3D> {
    const loader = new GLTFLoader(manager), beside = Object.values(file.files ?? {}).reduce((sum, base64) => sum + base64.length, 0);
    // loads images by elements and buffers directly: the page's policy forbids requests, even for blobs
    loader.register((parser) => {
        refusePacked(parser.json.extensionsRequired ?? []);
        refuseHuge(parser.json.accessors ?? [], bytes.length + beside);
        parser.textureLoader = new THREE.TextureLoader(manager);
        const own = parser as unknown as { loadBuffer: (index: number) => Promise<ArrayBuffer> }, inside = own.loadBuffer.bind(parser);
        own.loadBuffer = async (index) => {
            const { uri } = parser.json.buffers[index] as { uri?: string };
            return uri === undefined ? inside(index) : bufferOf(uri, file);
        };
        return { name: "pictures" };
    });
    const { scene, parser } = await loader.parseAsync(bytes.buffer as ArrayBuffer, "");
    scene.userData.whole = ((parser.json.images ?? []) as { uri?: string }[]).every(({ uri }) => uri?.startsWith("data:") ?? true);
    return scene;
}

/** Returns the bytes of an embedded or separate buffer of a glTF. */
function bufferOf(uri: string, file: MeshFile): ArrayBuffer {
    const base64 = /^data:[^,]*;base64,/.test(uri) ? uri.slice(uri.indexOf(",") + 1) : besides(uri, file) ?? besides(decoded(uri), file);
    if (base64 === undefined) throw new Error(`its buffer ${uri.slice(0, 80)} is missing`);
    return bytesOf(base64).buffer as ArrayBuffer;
}

/** Rejects compression formats for which the page has no decoder. */
function refusePacked(required: string[]): void {
    const packed = { KHR_draco_mesh_compression: "Draco", EXT_meshopt_compression: "meshopt", KHR_texture_basisu: "Basis" };
    for (const [extension, name] of Object.entries(packed))
        if (required.includes(extension)) throw new Error(`it is compressed by ${name} (${extension}); export it again without compression`);
}

/** Rejects files that declare far more zeros than they have bytes, by accessors without a buffer. */
function refuseHuge(accessors: { bufferView?: number; count?: unknown }[], bytes: number): void {
    let zeros = 0;
    for (const { bufferView, count } of accessors)
        if (bufferView === undefined) zeros += Math.max(Number(count) || 0, 0);
    if (zeros > 16 * bytes) throw new Error("it needs more memory than is plausible for its size");
}

/** Replaces zero normals and materials, and removes lights and cameras. pictures: whether the images that it refers to
    are available. */
function mended(object: THREE.Object3D, named: (m: THREE.Material) => boolean, pictures: boolean): THREE.Object3D {
    const strange: THREE.Object3D[] = [];
    let meshes = 0;
    object.traverse((part) => {
        if (part instanceof THREE.Light || part instanceof THREE.Camera || part instanceof THREE.Line || part instanceof THREE.Points) strange.push(part);
        if (!(part instanceof THREE.Mesh)) return;
        meshes++;
        part.geometry = withNormals(part.geometry);
        const surface = (m: THREE.Material) => surfaceOf(m, m.name !== THREE.Loader.DEFAULT_MATERIAL_NAME && named(m), pictures);
        part.material = Array.isArray(part.material) ? part.material.map(surface) : surface(part.material);
    });
    for (const part of strange) part.removeFromParent();
    if (meshes === 0) throw new Error("it contains no surface");
    return object;
}

/** Returns geometry with nonzero normals, computed from the triangles if missing. */
function withNormals(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
    const normals = geometry.getAttribute("normal") as THREE.BufferAttribute | undefined;
    let good = normals !== undefined;
    for (let i = 0; normals && good && i < normals.count; i++)
        good = Math.hypot(normals.getX(i), normals.getY(i), normals.getZ(i)) > 0.5;
    if (good) return geometry;
    geometry.deleteAttribute("normal");
    const flat = geometry.index ? geometry.toNonIndexed() : geometry;
    flat.computeVertexNormals();
    return flat;
}

function isWhite(material: THREE.Material): boolean {
    const { color } = material as THREE.MeshStandardMaterial;
    return !color || (color.r > 0.999 && color.g > 0.999 && color.b > 0.999);
}

/** Returns color, image and transparency of a material. */
function surfaceOf(material: THREE.Material, has: boolean, pictures: boolean): Surface {
    const { color, map, emissive, opacity, transparent, vertexColors, alphaTest } = material as THREE.MeshStandardMaterial;
    // the white of a material with a missing image is not a color
    if (!has || (map && !pictures && isWhite(material) && !vertexColors)) return null;
    const surface = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0.05, map: pictures ? map : null, vertexColors, alphaTest });
    surface.userData.yields = material.userData.yields === true;
    if (color) surface.color.copy(color);
    // a color given only as emission
    if (emissive && !map && surface.color.getHex() === 0) surface.color.copy(emissive);
    if (opacity > 0 && opacity < 1) {
        surface.transparent = true;
        surface.opacity = Math.max(opacity, 0.15);
    } else surface.transparent = transparent && map !== null && opacity === 1;
    return surface;
}
