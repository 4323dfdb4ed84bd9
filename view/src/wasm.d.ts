// SPDX-License-Identifier: MIT
declare module "tandem.wasm" {
    const bytes: Uint8Array;
    export default bytes;
}
