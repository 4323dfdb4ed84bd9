// SPDX-License-Identifier: MIT
declare module "tandem.wasm" {
    /** packed by gzip, as base64 */
    const packed: string;
    export default packed;
}
