// Looks at pages the way a reader's browser does; see the file "check".
import { createRequire } from "node:module";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.MODULES, "package.json"));
const puppeteer = (await import(pathToFileURL(require.resolve("puppeteer-core")).href)).default;
const axe = require("axe-core").source;

const files = [];
let shots = "";
let sheets = 0;
for (let i = 2; i < process.argv.length; i++) {
  if (process.argv[i] === "--shots") shots = resolve(process.argv[++i]);
  else if (process.argv[i] === "--print") sheets = Number(process.argv[++i]);
  else files.push(resolve(process.argv[i]));
}
if (shots) mkdirSync(shots, { recursive: true });

const profile = mkdtempSync(join(tmpdir(), "evolve-browser-"));
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  userDataDir: profile,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

let findings = 0;
const finding = (where, what) => { findings++; console.error(`${where}: ${what}`); };

async function look(file, width, scheme) {
  const where = `${basename(file)} at ${width} px, ${scheme}`;
  const url = pathToFileURL(file).href;
  const page = await browser.newPage();
  try {
    page.on("console", (m) => finding(where, `console ${m.type()}: ${m.text()}`));
    page.on("pageerror", (e) => finding(where, `script error: ${e.message}`));
    page.on("request", (r) => {
      if (r.url() !== url && !r.url().startsWith("data:")) finding(where, `request: ${r.url()}`);
    });
    await page.setViewport({ width, height: 900, deviceScaleFactor: 1 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.goto(url, { waitUntil: "load", timeout: 30000 });
    for (const state of ["folded", "unfolded"]) {
      if (state === "unfolded") {
        await page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
      }
      const at = `${where}, ${state}`;
      const [scroll, client] = await page.evaluate(() =>
        [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      if (scroll > client) finding(at, `scrolls sideways: ${scroll} px in ${client} px`);
      const cut = await page.evaluate(() => [...document.querySelectorAll("body *")]
        // Inline elements may hang a space over the edge; what holds them may not.
        .filter((e) => !e.closest(".scroll, svg, .skip") && getComputedStyle(e).display !== "inline" && e.getBoundingClientRect().right > innerWidth + 1)
        .map((e) => e.tagName + "." + e.className).slice(0, 3));
      if (cut.length) finding(at, `stands over the edge: ${cut.join(", ")}`);
      await page.evaluate(axe);
      const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      for (const v of result.violations) {
        finding(at, `accessibility: ${v.id} (${v.impact}): ${v.help}; ${v.nodes.length} place(s), first ${v.nodes[0].html.slice(0, 160)}`);
      }
      if (shots) {
        const name = `${basename(file, ".html")}-${width}-${scheme}-${state}.png`;
        // A browser draws pictures only up to some height.
        const height = Math.min(await page.evaluate(() => document.documentElement.scrollHeight), 12000);
        await page.screenshot({ path: join(shots, name), clip: { x: 0, y: 0, width, height }, captureBeyondViewport: true });
      }
    }
  } finally {
    await page.close();
  }
}

// Counts the pages of a print: Chromium writes an object "/Type /Page" for each.
async function print(file) {
  const page = await browser.newPage();
  try {
    await page.goto(pathToFileURL(file).href, { waitUntil: "load", timeout: 30000 });
    const agents = await page.evaluate(() => document.querySelectorAll("article").length);
    const pdf = Buffer.from(await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    const printed = (pdf.match(/\/Type\s*\/Page\b(?!s)/g) ?? []).length;
    if (printed < 1 || agents && printed > sheets * agents) finding(basename(file), `prints on ${printed} pages with ${agents} agent(s)`);
  } finally {
    await page.close();
  }
}

try {
  for (const file of files) {
    if (sheets) await print(file);
    for (const width of [390, 1440]) {
      for (const scheme of ["light", "dark"]) await look(file, width, scheme);
    }
  }
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
if (findings) {
  console.error(`${findings} finding(s)`);
  process.exit(1);
}
console.log(`${files.length} page(s) looked at: nothing found`);
