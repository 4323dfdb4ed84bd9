// SPDX-License-Identifier: MIT
declare module "tandem.wasm" {
    /** compressed by gzip, in base64 */
    const packed: string;
    export default packed;
}
