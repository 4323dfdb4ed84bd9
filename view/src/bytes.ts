// SPDX-License-Identifier: MIT
// Decodes binary data in the page: base64, optionally compressed by gzip.

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i); // much faster than a callback
    return bytes;
}

export async function unpacked(packed: { base64: string; gzip?: boolean }): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = bytesOf(packed.base64);
    return packed.gzip ? gunzip(bytes) : bytes;
}

/** Returns true if bytes begin with the signature of gzip. */
export function isPacked(bytes: Uint8Array): boolean { return bytes[0] === 0x1f && bytes[1] === 0x8b; }

export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}
