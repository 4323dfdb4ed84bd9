// SPDX-License-Identifier: MIT
// Takes a screenshot of a page:  node picture.mjs PAGE OUTPUT.png [WIDTHxHEIGHT] [dark] [SCRIPT]
// SCRIPT runs in the page before; `page` in it is window.tandem of the page.

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { startChromium } from "./chromium.mjs";

const [page, output, size = "1280x800", scheme = "light", script = ""] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);
const browser = await startChromium();
if (!browser) throw new Error("there is no chromium");
const tab = await browser.open(`file://${resolve(page)}`, { width, height, dark: scheme === "dark", touch: width < 600 });
if (script) await tab.run(`(async () => { const page = window.tandem; ${script} })()`);
await tab.run("new Promise((r) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(r)), 900))");
writeFileSync(output, await tab.picture());
for (const error of tab.errors) console.error(error);
await browser.close();
