// SPDX-License-Identifier: MIT
// A box of 0.1 × 0.2 × 0.3 m as mesh files of all formats that the page reads.

export const box = [0.1, 0.2, 0.3];

const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1, (k >> 1) & 1, k >> 2].map((side, i) => (side - 0.5) * box[i]));
const triangles = [[0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4], [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5]];

function binaryStl() {
    const bytes = Buffer.alloc(84 + 50 * triangles.length);
    bytes.writeUInt32LE(triangles.length, 80);
    triangles.forEach((triangle, t) => triangle.forEach((corner, c) => corners[corner].forEach((x, i) => bytes.writeFloatLE(x, 84 + 50 * t + 12 + 12 * c + 4 * i))));
    return bytes;
}

const asciiStl = `solid box\n${triangles.map((t) => `facet normal 0 0 0\nouter loop\n${t.map((c) => `vertex ${corners[c].join(" ")}`).join("\n")}\nendloop\nendfacet`).join("\n")}\nendsolid box\n`;
const obj = `mtllib none.mtl\n${corners.map((c) => `v ${c.join(" ")}`).join("\n")}\n${triangles.map((t) => `f ${t.map((c) => c + 1).join(" ")}`).join("\n")}\n`;

// in millimetres, with z up and a picture that is not there
const collada = `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="i"><init_from>none.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON><newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c"><phong><diffuse><texture texture="t" texcoord="u"/></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="24">${corners.flat().map((x) => 1000 * x).join(" ")}</float_array>
<technique_common><accessor source="#pa" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="12" material="a"><input semantic="VERTEX" source="#v" offset="0"/><p>${triangles.flat().join(" ")}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node><instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="a" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>`;

export const meshes = { "box.stl": binaryStl(), "ascii.stl": asciiStl, "box.obj": obj, "box.dae": collada };
