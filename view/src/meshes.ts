// SPDX-License-Identifier: MIT
// Meshes of the page's data, read by three's loaders. Nothing is fetched: textures that a COLLADA
// file names are left out.

import * as THREE from "three";
import { ColladaLoader } from "three/addons/loaders/ColladaLoader.js";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import { STLLoader } from "three/addons/loaders/STLLoader.js";

const EMPTY_PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

function bytesOf(base64: string): Uint8Array {
    const text = atob(base64);
    return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

/** A mesh, in metres and with z up; throws where the file is damaged. */
export function readMesh(type: string, base64: string): THREE.Object3D {
    const bytes = bytesOf(base64);
    if (type === "stl") {
        const geometry = new STLLoader().parse(bytes.buffer as ArrayBuffer);
        return new THREE.Mesh(geometry);
    }
    // three would turn a scene with z up to y up, and say so; a URDF wants the file's own axes
    const text = new TextDecoder().decode(bytes).replace(/<up_axis>[^<]*</, "<up_axis>Y_UP<");
    if (type === "obj") return new OBJLoader().parse(text);
    const manager = new THREE.LoadingManager();
    manager.setURLModifier(() => EMPTY_PICTURE);
    const read = new ColladaLoader(manager).parse(text, "");
    if (!read) throw new Error("no COLLADA");
    return read.scene;
}
