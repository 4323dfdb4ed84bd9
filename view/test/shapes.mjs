// SPDX-License-Identifier: MIT
// Makes a box of 0.1 × 0.2 × 0.3 m as mesh files in all formats that the page reads, with variations
// found in files of robots: zero normals, colors, several materials, images.

import { png } from "./png.mjs";

export const box = [0.1, 0.2, 0.3];

const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1) & 1, k >> 2].map((side, i) => (side - 0.5) * box[i]));
// faces −z, z, −y, y, −x, x
const triangles = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];
// if there are two materials, face x has the second one
const parts = [triangles.slice(0, 10), triangles.slice(10)];
const RED = [0.9, 0.05, 0.05], GREEN = [0.05, 0.8, 0.05], BLUE = [0.05, 0.1, 0.9];
const greenPicture = png([0, 200, 0]);
/** Makes a Targa file of 4 × 4 pixels in one color, plain or run-length encoded. */
function tga([r, g, b], packed = false) {
    const head = Buffer.from([0, 0, packed ? 10 : 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0]);
    const point = Buffer.from([b, g, r]), run = Buffer.concat([Buffer.from([0x80 | 3]), point]); // a run of four pixels
    return Buffer.concat([head, ...Array(packed ? 4 : 16).fill(packed ? run : point)]);
}

function binaryStl(header = "", attribute = 0) {
    const bytes = Buffer.alloc(84 + 50 * triangles.length);
    bytes.write(header, 0, "latin1");
    bytes.writeUInt32LE(triangles.length, 80);
    triangles.forEach((triangle, t) => {
        triangle.forEach((corner, c) => corners[corner].forEach((x, i) => bytes.writeFloatLE(x, 84 + 50 * t + 12 + 12 * c + 4 * i)));
        bytes.writeUInt16LE(attribute, 84 + 50 * t + 48);
    });
    return bytes;
}

const asciiStl = `solid box\n${triangles.map((t) => `facet normal 0 0 0\nouter loop\n${t.map((c) => `vertex ${corners[c].join(" ")}`).join("\n")}\nendloop\nendfacet`).join("\n")}\nendsolid box\n`;

const vertices = corners.map((c) => `v ${c.join(" ")}`).join("\n");
const objFaces = (list, rest = "") => list.map((t) => `f ${t.map((c) => `${c + 1}${rest}`).join(" ")}`).join("\n");
const obj = `mtllib none.mtl\n${vertices}\n${objFaces(triangles)}\n`;
const objTwo = `mtllib two.mtl\n${vertices}\nvn 0 0 0\nusemtl red\n${objFaces(parts[0], "//1")}\nusemtl blue\n${objFaces(parts[1], "//1")}\n`;
const objPicture = `mtllib picture.mtl\n${vertices}\nvt 0.5 0.5\nusemtl painted\n${objFaces(triangles, "/1")}\n`;
const objPoints = `${corners.map((c) => `v ${c.join(" ")} ${RED.join(" ")}`).join("\n")}\n${objFaces(triangles)}\n`;

/** Makes a mesh in millimeters. surfaces: a color or an image name for both parts; none: no material. */
function collada(up, surfaces, normals = "") {
    const effect = (surface, k) => (typeof surface === "string"
        ? `<effect id="e${k}"><profile_COMMON><newparam sid="s"><surface type="2D"><init_from>i${k}</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam><technique sid="c"><phong><diffuse><texture texture="t" texcoord="u"/></diffuse></phong></technique></profile_COMMON></effect>`
        : `<effect id="e${k}"><profile_COMMON><technique sid="c"><phong><diffuse><color>${surface.join(" ")} 1</color></diffuse></phong></technique></profile_COMMON></effect>`);
    const each = (text) => surfaces.map(text).join("");
    const lists = surfaces.length === 2 ? parts : [triangles];
    const n = normals ? 3 : 2;
    return `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>${up}</up_axis></asset>
<library_images>${each((s, k) => (typeof s === "string" ? `<image id="i${k}"><init_from>${s}</init_from></image>` : ""))}</library_images>
<library_effects>${each(effect)}</library_effects>
<library_materials>${each((_, k) => `<material id="m${k}" name="m${k}"><instance_effect url="#e${k}"/></material>`)}</library_materials>
<library_lights><light id="sun"><technique_common><point><color>1 1 1</color></point></technique_common></light></library_lights>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="24">${corners.flat().map((x) => 1000 * x).join(" ")}</float_array>
<technique_common><accessor source="#pa" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<source id="c"><float_array id="ca" count="2">0.5 0.5</float_array><technique_common><accessor source="#ca" count="1" stride="2"><param name="S" type="float"/><param name="T" type="float"/></accessor></technique_common></source>
<source id="n"><float_array id="na" count="3">0 0 0</float_array><technique_common><accessor source="#na" count="1" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
${lists.map((list, k) => `<triangles count="${list.length}" material="a${k}"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="TEXCOORD" source="#c" offset="1" set="0"/>
${normals ? '<input semantic="NORMAL" source="#n" offset="2"/>' : ""}<p>${list.flat().map((c) => [c, 0, 0].slice(0, n).join(" ")).join(" ")}</p></triangles>`).join("")}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g">${surfaces.length > 0 ? `<bind_material><technique_common>${each((_, k) => `<instance_material symbol="a${k}" target="#m${k}"/>`)}</technique_common></bind_material>` : ""}</instance_geometry></node>
<node><instance_light url="#sun"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>`;
}

/** Returns the JSON and the buffer of a glTF; see glb. picture: bytes, or the name of a file. */
function gltfParts(colours, picture, zeros, more) {
    const chunks = [], views = [], accessors = [];
    let length = 0;
    const add = (bytes) => {
        const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
        views.push({ buffer: 0, byteOffset: length, byteLength: bytes.length });
        chunks.push(padded);
        length += padded.length;
        return views.length - 1;
    };
    const accessor = (bytes, rest) => accessors.push({ bufferView: add(bytes), ...rest }) - 1;
    const low = corners[0], high = corners[7];
    const position = accessor(Buffer.from(new Float32Array(corners.flat()).buffer), { componentType: 5126, count: 8, type: "VEC3", min: low, max: high });
    const uv = accessor(Buffer.from(new Float32Array(16).fill(0.5).buffer), { componentType: 5126, count: 8, type: "VEC2" });
    const primitives = parts.map((list, k) => ({ attributes: { POSITION: position, TEXCOORD_0: uv }, material: k,
        indices: accessor(Buffer.from(new Uint16Array(list.flat()).buffer), { componentType: 5123, count: 3 * list.length, type: "SCALAR" }) }));
    const image = !picture ? null : typeof picture === "string" ? { uri: picture } : { bufferView: add(picture), mimeType: "image/png" };
    if (zeros > 0) primitives[0].attributes.COLOR_0 = accessors.push({ componentType: 5126, count: zeros, type: "VEC3" }) - 1;
    const json = { asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], meshes: [{ primitives }], accessors, bufferViews: views,
        materials: colours.map((c, k) => ({ name: `m${k}`, pbrMetallicRoughness: { baseColorFactor: [...c, 1], ...(picture && k === 0 ? { baseColorTexture: { index: 0 } } : {}) } })),
        ...(image ? { images: [image], textures: [{ source: 0 }] } : {}), buffers: [{ byteLength: length }], ...more };
    return { json, buffer: Buffer.concat(chunks) };
}

/** Makes a text glTF, with its buffer in the file with the other name. */
function gltf(colours, picture, uri) {
    const { json } = gltfParts(colours, picture, 0, {});
    return JSON.stringify({ ...json, buffers: [{ ...json.buffers[0], uri }] });
}

/** Makes a binary glTF of two primitives with one material each. picture: of the first one. zeros: number of accessor elements without bytes. more: members for the JSON. */
export function glb(colours, picture, zeros = 0, more = {}) {
    const { json, buffer } = gltfParts(colours, picture, zeros, more), { length } = buffer;
    const text = Buffer.from(JSON.stringify(json));
    const head = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
    const words = (...n) => Buffer.from(new Uint32Array(n).buffer);
    const total = 12 + 8 + head.length + 8 + length;
    return Buffer.concat([words(0x46546c67, 2, total), words(head.length, 0x4e4f534a), head, words(length, 0x004e4942), buffer]);
}

export const meshes = { "box.stl": binaryStl(), "ascii.stl": asciiStl, "box.obj": obj, "box.dae": collada("Z_UP", ["none.png"]) };

/** Styles: files, optional material of the URDF (r g b), and colors of the faces −y and x. "light" is the color of links. */
export const styles = {
    "zero_normals.stl": { "zero_normals.stl": binaryStl(), faces: ["light", "light"] },
    "text.stl": { "text.stl": asciiStl, material: BLUE, faces: ["blue", "blue"] },
    "coloured.stl": { "coloured.stl": binaryStl("COLOR=\xe0\x08\x08\xff", 0x8000), faces: ["red", "red"] },
    "facets.stl": { "facets.stl": binaryStl("COLOR=\x08\x08\xe0 ", 0x1c), faces: ["red", "red"] },
    "ghost.stl": { "ghost.stl": binaryStl("COLOR=\xe0\x08\x08 MATERIAL="), faces: ["red", "red"] },
    "material.stl": { "material.stl": binaryStl("COLOR=\xe0\x08\x08 ", 0x8000), material: BLUE, faces: ["blue", "blue"] },
    "plain.obj": { "plain.obj": obj, material: GREEN, faces: ["green", "green"] },
    "lines.obj": { "lines.obj": `${obj}l 1 8\np 1\n  l 1 2 \\\n 3\nf 1 3 2\n`, material: GREEN, faces: ["green", "green"] },
    "two.obj": { "two.obj": objTwo, "two.mtl": `newmtl red\nKd ${RED.join(" ")}\nnewmtl blue\nKd ${BLUE.join(" ")}\n`, material: GREEN, faces: ["red", "blue"] },
    "picture.obj": { "picture.obj": objPicture, "picture.mtl": "newmtl painted\nKd 1 1 1\nmap_Kd pictures/green.png\n", "pictures/green.png": greenPicture, material: BLUE, faces: ["green", "green"] },
    "targa.obj": { "targa.obj": objPicture.replace("picture.mtl", "targa.mtl"), "targa.mtl": "newmtl painted\nKd 1 1 1\nmap_Kd pictures/green.TGA\n", "pictures/green.TGA": tga([0, 200, 0]), material: BLUE, faces: ["green", "green"] },
    "targa.dae": { "targa.dae": collada("Y_UP", ["pictures/packed.tga", BLUE]), "pictures/packed.tga": tga([0, 200, 0], true), material: RED, faces: ["green", "blue"] },
    "cut.obj": { "cut.obj": objPicture.replace("picture.mtl", "cut.mtl"), "cut.mtl": "newmtl painted\nKd 1 0.05 0.05\nmap_Kd cut.tga\n", "cut.tga": tga([0, 200, 0]).subarray(0, 12), material: BLUE, faces: ["red", "red"] },
    "lost.obj": { "lost.obj": objPicture.replace("picture.mtl", "lost.mtl"), "lost.mtl": "newmtl painted\nKd 1 1 1\nmap_Kd 50%.png\n", material: BLUE, faces: ["blue", "blue"] },
    "own.obj": { "own.obj": objTwo.replaceAll("red", "toString").replace("two.mtl", "own.mtl"), "own.mtl": `newmtl blue\nKd ${BLUE.join(" ")}\n`, material: GREEN, faces: ["green", "blue"] },
    "points.obj": { "points.obj": objPoints, material: BLUE, faces: ["red", "red"] },
    "plain.dae": { "plain.dae": collada("Z_UP", [], "zero"), material: BLUE, faces: ["blue", "blue"] },
    "two.dae": { "two.dae": collada("Z_UP", [RED, BLUE], "zero"), material: GREEN, faces: ["red", "blue"] },
    "y_up.dae": { "y_up.dae": collada("Y_UP", [RED, GREEN]), faces: ["red", "green"] },
    "picture.dae": { "picture.dae": collada("Y_UP", ["pictures/green.png", BLUE]), "pictures/green.png": greenPicture, material: RED, faces: ["green", "blue"] },
    "lost.dae": { "lost.dae": collada("Z_UP", ["lost.png"]), material: RED, faces: ["red", "red"] },
    "two.glb": { "two.glb": glb([RED, BLUE]), material: GREEN, faces: ["red", "blue"] },
    "two.gltf": { "two.gltf": gltf([RED, BLUE], null, `data:application/octet-stream;base64,${gltfParts([RED, BLUE], null, 0, {}).buffer.toString("base64")}`), material: GREEN, faces: ["red", "blue"] },
    "picture.gltf": { "picture.gltf": gltf([[1, 1, 1], RED], "pictures/green%20one.png", "pictures/box%20of%20it.bin"), "pictures/box of it.bin": gltfParts([[1, 1, 1], RED], "-", 0, {}).buffer,
        "pictures/green one.png": greenPicture, material: BLUE, faces: ["green", "red"] },
    "lost.gltf": { "lost.gltf": gltf([[1, 1, 1], RED], "lost.png", "lost.bin"), "lost.bin": gltfParts([[1, 1, 1], RED], "-", 0, {}).buffer, material: BLUE, faces: ["blue", "red"] },
    "picture.glb": { "picture.glb": glb([[1, 1, 1], RED], greenPicture), material: BLUE, faces: ["green", "red"] },
};
