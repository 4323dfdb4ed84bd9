// SPDX-License-Identifier: MIT
// Builds the page without a robot: one HTML file with script, style, WebAssembly and licenses.
//
//     node build.mjs SOURCE MODULES TANDEM.WASM LICENSE WASI_LICENSE OUTPUT
//
// SOURCE is this directory, MODULES the node_modules installed by `npm ci`.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const [source, modules, wasm, license, wasiLicense, output] = process.argv.slice(2).map((p) => resolve(p));
const esbuild = createRequire(join(modules, "any.js"))("esbuild");

const built = await esbuild.build({
    entryPoints: [join(source, "src/main.ts")],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome109", "firefox115"],
    charset: "utf8",
    legalComments: "none", // the page contains all licenses in full
    nodePaths: [modules],
    plugins: [{
        name: "wasm",
        setup(build) {
            build.onResolve({ filter: /^tandem\.wasm$/ }, () => ({ path: wasm, namespace: "wasm" }));
            build.onLoad({ filter: /.*/, namespace: "wasm" }, () => ({ contents: gzipSync(readFileSync(wasm), { level: 9 }).toString("base64"), loader: "text" }));
        },
    }],
    metafile: true,
    logLevel: "warning",
    tsconfigRaw: "{}",
});
const style = await esbuild.build({
    stdin: {
        contents: `@import "uplot/dist/uPlot.min.css";\n${readFileSync(join(source, "src/style.css"), "utf8")}`,
        resolveDir: join(modules, ".."),
        loader: "css",
    },
    bundle: true,
    minify: true,
    write: false,
    nodePaths: [modules],
    logLevel: "warning",
});

/** Returns the packages whose files are in the page. */
function packagesOf(inputs) {
    const names = Object.keys(inputs).map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
    return [...new Set(names.filter((name) => name))].sort();
}

function licenceOf(name) {
    const file = ["LICENSE", "LICENSE.md", "license"].map((f) => join(modules, name, f)).find((f) => existsSync(f));
    if (!file) throw new Error(`${name} has no licence`);
    const { version } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    return `${name} ${version}\n\n${readFileSync(file, "utf8").trim()}\n`;
}

const packages = [...new Set([...packagesOf(built.metafile.inputs), "uplot"])].sort();
const licences = [
    `tandem\n\n${readFileSync(license, "utf8").trim()}\n`,
    ...packages.map(licenceOf),
    existsSync(wasiLicense) ? `wasi-libc, of which the WebAssembly has parts\n\n${readFileSync(wasiLicense, "utf8").trim()}\n` : "",
].join(`\n${"-".repeat(72)}\n\n`);

const escapeText = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
// escapes text that would end the script element or begin a comment in it
const script = built.outputFiles[0].text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "\\x3c!--");
const parts = {
    "<!--style-->": style.outputFiles[0].text,
    "<!--licences-->": escapeText(licences),
    "<!--script-->": script,
};
let page = readFileSync(join(source, "src/page.html"), "utf8");
for (const [mark, text] of Object.entries(parts)) {
    if (page.split(mark).length !== 2) throw new Error(`${mark} is not there once`);
    page = page.replace(mark, () => text);
}
writeFileSync(output, page);
