// SPDX-License-Identifier: MIT
// Makes PNG images of one color.

import { deflateSync } from "node:zlib";

function crc(bytes) {
    let c = ~0;
    for (const byte of bytes) {
        c ^= byte;
        for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
    }
    return ~c >>> 0;
}

function chunk(type, data) {
    const inside = Buffer.concat([Buffer.from(type), data]);
    const made = Buffer.alloc(12 + data.length);
    made.writeUInt32BE(data.length, 0);
    inside.copy(made, 4);
    made.writeUInt32BE(crc(inside), 8 + data.length);
    return made;
}

/** Makes an image of 2 × 2 pixels of one color, with components 0 to 255. */
export function png(rgb) {
    const size = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
    const rows = Buffer.from([0, ...rgb, ...rgb, 0, ...rgb, ...rgb]);
    return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk("IHDR", size), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}
