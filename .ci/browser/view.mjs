// Uses the pages of evolve view the way a reader does; see the file "view".
import { createRequire } from "node:module";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.MODULES, "package.json"));
const puppeteer = (await import(pathToFileURL(require.resolve("puppeteer-core")).href)).default;
const axe = require("axe-core").source;

const args = process.argv.slice(2);
let shots = "";
if (args[0] === "--shots") { shots = resolve(args[1]); args.splice(0, 2); mkdirSync(shots, { recursive: true }); }
const [evolve, space, large] = args.map((a) => resolve(a));

// The most that the first row and a frame may take, in milliseconds: far above what this takes
// on an idle machine, so that only a mistake is found.
const mostFirst = 10000, mostFrame = 250, mostMedian = 50;

let findings = 0;
const finding = (where, what) => { findings++; console.error(`${where}: ${what}`); };
const must = (where, ok, what) => { if (!ok) finding(where, what); };

// serve starts evolve view and returns its address and a function that ends it and returns the exit
// code.
async function serve(dir, ...flags) {
  const child = spawn(evolve, ["view", "--workspace", dir, "--no-browser", ...flags], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((done, fail) => {
    let out = "";
    child.stdout.on("data", (d) => { out += d; if (out.includes("\n")) done(out.trim()); });
    child.on("exit", (code) => fail(new Error(`evolve view ended with ${code}`)));
  });
  const stop = () => new Promise((done) => { child.removeAllListeners("exit"); child.on("exit", done); child.kill("SIGINT"); });
  return { address, origin: new URL(address).origin, stop };
}

const profile = mkdtempSync(join(tmpdir(), "evolve-view-"));
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM, userDataDir: profile, headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// open returns a page that reports what must not be: messages, errors, requests to elsewhere.
async function open(where, origin, width = 1440, scheme = "light") {
  const page = await browser.newPage();
  page.on("console", (m) => { if (!page.quiet) finding(where(), `console ${m.type()}: ${m.text()}`); });
  page.on("pageerror", (e) => finding(where(), `script error: ${e.message}`));
  page.on("dialog", (d) => { finding(where(), `dialog: ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => { if (!r.url().startsWith(origin + "/") && !r.url().startsWith("data:")) finding(where(), `request: ${r.url()}`); });
  await page.setViewport({ width, height: 900, deviceScaleFactor: 1 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  return page;
}

// inspect looks for what is too wide, and runs axe.
async function inspect(page, at) {
  const [scroll, client] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  if (scroll > client) finding(at, `scrolls sideways: ${scroll} px in ${client} px`);
  await page.evaluate(axe);
  const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const v of result.violations) {
    finding(at, `accessibility: ${v.id} (${v.impact}): ${v.help}; ${v.nodes.length} place(s), first ${v.nodes[0].html.slice(0, 160)}`);
  }
}

const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const focused = (page) => page.evaluate(() => { const e = document.activeElement; return { role: e.getAttribute("role"), row: e.parentElement?.getAttribute("aria-rowindex"), column: e.getAttribute("aria-colindex"), words: e.textContent }; });
const filled = (page) => page.waitForFunction(() => { const e = document.querySelector('.grid [role=rowheader]'); return e && /^v\d/.test(e.textContent); }, { timeout: mostFirst });

// walk looks at every kind of page.
async function walk(at, width, scheme) {
  let name = "";
  const where = () => `${name} at ${width} px, ${scheme}`;
  const page = await open(where, at.origin, width, scheme);
  const go = async (title, address) => {
    name = title;
    await page.goto(address, { waitUntil: "load", timeout: 30000 });
    await inspect(page, where());
    if (shots) await page.screenshot({ path: join(shots, `${title}-${width}-${scheme}.png`) });
  };
  await go("nights", at.address);
  must(where(), !page.url().includes("token"), "the token is left in the address");
  const hrefs = await page.$$eval("main table a", (list) => list.map((a) => a.href));
  const variant = (await page.$$eval("main table td", (list) => list.map((e) => e.textContent))).find((words) => /^v\d+$/.test(words));
  if (width === 390) await go("night", hrefs.find((h) => h.includes("/night?"))); // the check of reports looks at it in all ways
  await go("matrix", hrefs.find((h) => h.includes("/matrix?")));
  await filled(page);
  await inspect(page, where());
  const agent = new URL(page.url()).searchParams.get("agent");
  const open2 = (path, parameters) => at.origin + path + "?" + new URLSearchParams(parameters);
  await go("variant", open2("/variant", { agent, v: variant }));
  await go("compare", open2("/compare", { agent, a: "v1", b: variant }));
  must(where(), (await page.$$("main .facts dd")).length > 3 && (await page.$$("main table.told")).length > 1 && await page.$("#statement ~ pre") === null, "its figures are no lists and tables");
  await go("proposals", at.origin + "/proposals");
  const proposal = await page.$$eval("main table a", (list) => list.map((a) => a.href));
  for (const [i, address] of proposal.slice(0, 2).entries()) await go(`proposal-${i + 1}`, address);
  await go("progress", at.origin + "/progress");
  await page.close();
}

// use sorts, filters, moves by keyboard, compares and opens a transcript.
async function use(at) {
  let name = "use";
  const where = () => name;
  const page = await open(where, at.origin);
  await page.goto(at.address, { waitUntil: "load" });
  await page.goto(at.origin + "/matrix", { waitUntil: "load" });
  await filled(page);
  name = "by keyboard";
  for (let i = 0; i < 40 && (await focused(page)).role !== "rowheader"; i++) await page.keyboard.press("Tab");
  must(name, (await focused(page)).role === "rowheader", "Tab does not reach the table");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  let f = await focused(page);
  must(name, f.row === "3" && f.column === "2", `the arrows lead to row ${f.row}, column ${f.column}`);
  await page.keyboard.press("Space");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("Space");
  const [a, b] = await page.$$eval("#pair input[type=text], #pair input:not([type])", (list) => list.map((e) => e.value));
  must(name, /^v\d+$/.test(a) && /^v\d+$/.test(b) && a !== b, `Space picks ${a} and ${b}`);
  for (const [keys, row] of [["End", null], ["Home", "1"]]) {
    await page.keyboard.down("Control");
    await page.keyboard.press(keys);
    await page.keyboard.up("Control");
    f = await focused(page);
    const last = await page.$eval(".grid", (e) => [e.getAttribute("aria-rowcount"), e.getAttribute("aria-colcount")]);
    must(name, row ? f.row === "2" && f.column === "1" : f.row === last[0] && f.column === last[1], `Control and ${keys} lead to row ${f.row}, column ${f.column}`);
  }
  const tabs = await page.$$eval('.grid [tabindex="0"], .grid[tabindex="0"]', (list) => list.length);
  must(name, tabs === 1, `${tabs} elements of the table are reached by Tab`);
  name = "sorting";
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.search.includes("sort=search"), { timeout: 5000 });
  await page.waitForNetworkIdle({ idleTime: 300 });
  const means = await page.evaluate(() => [...document.querySelectorAll(".grid-row")].sort((p, q) => p.getAttribute("aria-rowindex") - q.getAttribute("aria-rowindex")).map((r) => parseFloat(r.children[2].textContent)).filter((x) => !Number.isNaN(x)));
  must(name, means.length > 1 && means.every((x, i) => i === 0 || x <= means[i - 1]), `the means are not in order: ${means.slice(0, 6)}`);
  name = "filtering";
  await page.type("input[name=q]", "v1");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  await filled(page);
  const count = await text(page, "#matrix-count");
  const names = await page.$$eval('.grid [role=rowheader]', (list) => list.map((e) => e.textContent));
  must(name, names.length > 0 && !count.startsWith("0 "), `nothing is left of ${count}`);
  name = "comparing";
  await page.type("input[name=a]", a);
  await page.type("input[name=b]", b);
  await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.keyboard.press("Enter")]);
  must(name, (await text(page, "h1")).includes("→"), "it shows no comparison");
  await inspect(page, name);
  name = "a transcript";
  await page.goto(at.origin + "/matrix", { waitUntil: "load" });
  await filled(page);
  await page.waitForFunction(() => [...document.querySelectorAll(".grid-row .grid-cell:not(.grid-fixed)")].some((e) => /^\d?\.\d+$/.test(e.textContent)), { timeout: 5000 });
  await Promise.all([page.waitForNavigation({ waitUntil: "load" }),
    page.evaluate(() => [...document.querySelectorAll(".grid-row .grid-cell:not(.grid-fixed)")].find((e) => /^\d?\.\d+$/.test(e.textContent)).click())]);
  await inspect(page, "a cell");
  await Promise.all([page.waitForNavigation({ waitUntil: "load" }), page.click("main table a")]);
  must(name, await page.$("#transcript") !== null && (await page.$$(".events > li")).length > 0, "it has no events");
  await inspect(page, name);
  if (shots) await page.screenshot({ path: join(shots, "evaluation.png") });
  name = "without script";
  await page.setJavaScriptEnabled(false);
  await page.goto(at.origin + "/matrix", { waitUntil: "load" });
  must(name, await page.$("table.matrix tbody a") !== null, "the table has no links"); // axe itself is a script
  await page.close();
}

// scroll measures the first row and the frames of a large archive.
async function scroll(at) {
  const where = () => "5,000 × 500";
  const page = await open(where, at.origin);
  const begun = Date.now();
  await page.goto(at.address, { waitUntil: "load" });
  await page.goto(at.origin + "/matrix", { waitUntil: "load" });
  await filled(page);
  const first = Date.now() - begun;
  must(where(), first < mostFirst, `the first row took ${first} ms`);
  await page.waitForFunction(() => !document.getElementById("matrix-reading")?.textContent, { timeout: 60000 });
  const read = Date.now() - begun;
  await inspect(page, where());
  let bytes = 0;
  let answers = 0;
  page.on("response", async (r) => { if (r.url().includes("/window.json")) { answers++; bytes = Math.max(bytes, (await r.buffer().catch(() => "")).length); } });
  const frames = await page.evaluate(async () => {
    const box = document.querySelector(".grid");
    const times = [];
    let last = performance.now();
    const frame = () => new Promise((done) => requestAnimationFrame(() => { const now = performance.now(); times.push(now - last); last = now; done(); }));
    await frame();
    times.length = 0;
    for (let i = 0; i < 200; i++) { box.scrollTop += 60; await frame(); }
    for (let i = 0; i < 60; i++) { box.scrollTop += 1500; box.scrollLeft += 300; await frame(); }
    for (let i = 0; i < 100; i++) { box.scrollLeft += 40; await frame(); }
    return times.sort((a, b) => a - b);
  });
  const at2 = (q) => frames[Math.min(frames.length - 1, Math.floor(q * frames.length))];
  const elements = await page.$$eval(".grid *", (list) => list.length);
  console.log(`5,000 × 500: first row ${first} ms, all read ${read} ms; frames: median ${at2(.5).toFixed(1)} ms, 95 % ${at2(.95).toFixed(1)} ms, longest ${at2(1).toFixed(1)} ms of ${frames.length}; ${elements} elements; ${answers} answers, the largest ${(bytes / 1024).toFixed(0)} KiB`);
  must(where(), at2(.5) < mostMedian, `the median frame took ${at2(.5).toFixed(1)} ms`);
  must(where(), at2(.95) < mostFrame, `one frame in twenty took ${at2(.95).toFixed(1)} ms`);
  must(where(), elements < 4000, `${elements} elements are in the table`);
  await page.waitForNetworkIdle({ idleTime: 500 });
  const shown = await page.evaluate(() => [...document.querySelectorAll(".grid-row")].filter((r) => /^v\d/.test(r.firstChild.textContent)).length);
  must(where(), shown > 5, "no row is filled where it was scrolled to");
  if (shots) await page.screenshot({ path: join(shots, "large.png") });
  await page.close();
}

// hostile opens the pages of the large archive's first variant, whose text is markup and scripts.
async function hostile(at) {
  const name = "hostile content";
  const page = await open(() => name, at.origin);
  await page.goto(at.address, { waitUntil: "load" });
  await page.goto(at.origin + "/matrix", { waitUntil: "load" });
  await filled(page);
  const addresses = ["/variant?agent=solver&v=v1", "/compare?agent=solver&a=v1&b=v2", "/evaluation?agent=solver&run=1&seq=0"];
  const task = await page.evaluate(async () => (await (await fetch("/window.json?agent=solver&limit=1&columns=1")).json()).tasks[0].id);
  must(name, task.includes("<script>"), `the first task is ${task}`);
  addresses.push("/cell?" + new URLSearchParams({ agent: "solver", v: "v1", task }), "/matrix?" + new URLSearchParams({ agent: "solver", sort: "task:" + task }));
  for (const address of addresses) {
    await page.goto(at.origin + address, { waitUntil: "load" });
    const found = await page.evaluate(() => [document.querySelectorAll("img, iframe, main script").length, /[\u001b\u202e]/.test(document.body.innerText)]);
    must(name, found[0] === 0 && !found[1], `${address.slice(0, 40)}: ${found[0]} elements of foreign text, a hidden character: ${found[1]}`);
    await inspect(page, name);
  }
  await page.close();
}

// decide approves a proposal with the questions of the command line, after one that is not confirmed,
// and takes the adoption back.
async function decide(at) {
  let name = "deciding";
  const page = await open(() => name, at.origin);
  await page.goto(at.address, { waitUntil: "load" });
  await page.goto(at.origin + "/proposals", { waitUntil: "load" });
  await Promise.all([page.waitForNavigation(), page.click("main table a")]);
  const id = new URL(page.url()).searchParams.get("id");
  await Promise.all([page.waitForNavigation(), page.click('a[href*="do=approve"]')]);
  await inspect(page, name);
  if (shots) await page.screenshot({ path: join(shots, "decide.png") });
  page.quiet = true; // the status of the refusal is a message
  await page.type("#yes", "no");
  await Promise.all([page.waitForNavigation(), page.click(".decision button")]);
  must(name, (await text(page, "[role=alert]")).includes("not confirmed"), "a no decides");
  page.quiet = false;
  await page.type("#yes", "yes");
  await Promise.all([page.waitForNavigation({ timeout: 120000 }), page.click(".decision button")]);
  const done = await page.$("[role=status]");
  must(name, done !== null && (await text(page, "[role=status]")).includes("adopted"), `${id} is not adopted: ${(await text(page, "main")).slice(0, 300)}`);
  await inspect(page, name);
  name = "rolling back";
  await page.goto(at.origin + "/proposal?id=" + id, { waitUntil: "load" });
  await Promise.all([page.waitForNavigation(), page.click('a[href*="do=rollback"]')]);
  await inspect(page, name);
  if (shots) await page.screenshot({ path: join(shots, "rollback.png") });
  await page.type("#yes", "yes");
  await Promise.all([page.waitForNavigation({ timeout: 120000 }), page.click(".decision button")]);
  must(name, await page.$("[role=status]") !== null && (await text(page, "[role=status]")).includes("rolled back"), `${id} is not rolled back: ${(await text(page, "main")).slice(0, 300)}`);
  await inspect(page, name);
  await page.goto(at.origin + "/proposal?id=" + id, { waitUntil: "load" });
  must(name, (await text(page, ".chip")).includes("rolled back") && await page.$(".act") === null, `the page of ${id} is ${(await text(page, "main")).slice(0, 300)}`);
  await page.close();
}

// live checks that the figures of a run that is on follow it.
async function live(at) {
  const name = "a run that is on";
  const child = spawn(evolve, ["run", "--workspace", space, "--budget-evals", "100000", "--seed", "7", "--quiet"], { stdio: "ignore" });
  const page = await open(() => name, at.origin);
  try {
    await page.goto(at.address, { waitUntil: "load" });
    for (let i = 0; i < 60 && !(await page.$("[data-live]")); i++) {
      await new Promise((done) => setTimeout(done, 500));
      await page.goto(at.origin + "/progress", { waitUntil: "load" });
    }
    const words = () => text(page, "[data-words]");
    const before = await words();
    await page.waitForFunction((was) => document.querySelector("[data-words]").textContent !== was, { timeout: 20000 }, before);
    must(name, /^[\d,]+ of about [\d,]+ evaluations/.test(await words()), `the words are ${await words()}`);
    await inspect(page, name);
  } finally {
    child.kill("SIGKILL"); // the workspace is thrown away
    await page.close();
  }
}

const clock = (what) => { const now = Date.now(); console.log(`${what}: ${((now - clock.last) / 1000).toFixed(1)} s`); clock.last = now; };
clock.last = Date.now();
try {
  const reading = await serve(space);
  for (const width of [390, 1440]) for (const scheme of ["light", "dark"]) await walk(reading, width, scheme);
  clock("looking at the pages");
  await use(reading);
  clock("using them");
  const code = await reading.stop();
  must("ending", code === 0, `the exit code of an interrupt is ${code}`);
  const big = await serve(large);
  await scroll(big);
  await hostile(big);
  await big.stop();
  clock("scrolling");
  if (process.env.DECIDE !== "no") {
    const deciding = await serve(space, "--decide");
    await decide(deciding);
    clock("deciding");
    await live(deciding);
    await deciding.stop();
    clock("following a run");
  }
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
if (findings) {
  console.error(`${findings} finding(s)`);
  process.exit(1);
}
console.log("the pages were used: nothing found");
