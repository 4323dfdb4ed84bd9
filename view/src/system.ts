// SPDX-License-Identifier: MIT
// The system interface of wasi-libc: no environment, no clock, captured messages on stderr, and one
// readable file, which has any name.

type Call = (...numbers: number[]) => number;

const GOOD = 0, BAD_FILE = 8, NOT_THERE = 44;
const ERRORS = 2, ROOT = 3, FILE = 4;
const DEVICE = 2, FOLDER = 3, REGULAR = 4;

export class System {
    memory: WebAssembly.Memory | null = null;
    /** content of the file; null: no file */
    file: Uint8Array | null = null;
    private at = 0;
    private said: Uint8Array[] = [];

    /** Returns the messages since the last call. */
    complaints(): string {
        const text = this.said.map((part) => new TextDecoder().decode(part)).join("");
        this.said = [];
        return text.replace(/^tandem: /gm, "").trim();
    }

    private get view(): DataView { return new DataView(this.memory!.buffer); }

    /** Returns views of the n buffers in a list. */
    private pieces(list: number, n: number): Uint8Array[] {
        return Array.from({ length: n }, (_, k) =>
            new Uint8Array(this.memory!.buffer, this.view.getUint32(list + 8 * k, true), this.view.getUint32(list + 8 * k + 4, true)));
    }

    private kindOf(fd: number): number {
        return fd === FILE && this.file ? REGULAR : fd === ROOT ? FOLDER : fd <= ERRORS ? DEVICE : 0;
    }

    /** The functions of WASI preview 1 that the module imports. */
    readonly calls: Record<string, Call> = {
        environ_get: () => GOOD,
        environ_sizes_get: (count, size) => {
            this.view.setUint32(count!, 0, true);
            this.view.setUint32(size!, 0, true);
            return GOOD;
        },
        proc_exit: (code) => {
            throw new Error(this.complaints() || `tandem ended with ${code}`);
        },
        fd_prestat_get: (fd, to) => {
            if (fd !== ROOT) return BAD_FILE;
            this.view.setUint32(to!, 0, true);
            this.view.setUint32(to! + 4, 1, true);
            return GOOD;
        },
        fd_prestat_dir_name: (fd, to) => {
            if (fd !== ROOT) return BAD_FILE;
            this.view.setUint8(to!, ".".charCodeAt(0));
            return GOOD;
        },
        path_open: (...words) => {
            if (!this.file) return NOT_THERE;
            this.at = 0;
            this.view.setUint32(words[8]!, FILE, true);
            return GOOD;
        },
        fd_close: () => GOOD,
        fd_read: (fd, list, n, got) => {
            if (fd !== FILE || !this.file) return BAD_FILE;
            let count = 0;
            for (const to of this.pieces(list!, n!)) {
                const part = this.file.subarray(this.at, this.at + to.length);
                to.set(part);
                this.at += part.length;
                count += part.length;
            }
            this.view.setUint32(got!, count, true);
            return GOOD;
        },
        fd_write: (fd, list, n, put) => {
            const parts = this.pieces(list!, n!);
            if (fd === ERRORS) this.said.push(...parts.map((part) => part.slice()));
            this.view.setUint32(put!, parts.reduce((sum, part) => sum + part.length, 0), true);
            return fd! <= ERRORS ? GOOD : BAD_FILE;
        },
        fd_seek: (fd, by, from, to) => {
            if (fd !== FILE || !this.file) return BAD_FILE;
            this.at = Math.max(0, Number(by) + [0, this.at, this.file.length][from!]!); // by is a bigint
            this.view.setBigUint64(to!, BigInt(this.at), true);
            return GOOD;
        },
        fd_fdstat_get: (fd, to) => {
            if (this.kindOf(fd!) === 0) return BAD_FILE;
            new Uint8Array(this.memory!.buffer, to, 24).fill(0);
            this.view.setUint8(to!, this.kindOf(fd!));
            this.view.setBigUint64(to! + 8, ~0n & 0xffffffffffffffffn, true); // all rights
            this.view.setBigUint64(to! + 16, ~0n & 0xffffffffffffffffn, true);
            return GOOD;
        },
        fd_fdstat_set_flags: () => GOOD,
        fd_filestat_get: (fd, to) => {
            if (this.kindOf(fd!) === 0) return BAD_FILE;
            new Uint8Array(this.memory!.buffer, to, 64).fill(0);
            this.view.setUint8(to! + 16, this.kindOf(fd!));
            this.view.setBigUint64(to! + 32, BigInt(fd === FILE ? this.file!.length : 0), true);
            return GOOD;
        },
    };
}
