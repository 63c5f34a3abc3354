// SPDX-License-Identifier: Apache-2.0
// How long people wait: first paint, from a click to the answer, and frames while 1,000 clusters and 10,000 events are scrolled and filtered.
import { check, finish, given, newContext, newPage, please, settled, title } from "./browser.mjs";

const rows = [];
const note = (what, value, limit) => rows.push([what, value, limit]);
const sorted = (values) => [...values].sort((a, b) => a - b);
const middle = (values) => sorted(values)[Math.floor(values.length / 2)];
const ms = (value) => `${Math.round(value)} ms`;
const many = `${given.base}/console/project/${given.many}`;

// ---- First paint, with nothing kept from before ----
for (const [name, path, cookie] of [["sign-in", "/sign-in", undefined], ["clusters of a project", `/project/${given.project}/clusters`, given.cookie]]) {
  const paints = [], contents = [];
  for (let i = 0; i < 5; i++) {
    const context = await newContext(cookie);
    const page = await newPage(context);
    await page.goto(`${given.base}/console${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    contents.push(await page.evaluate(() => performance.now()));
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
    await context.close();
  }
  check(middle(paints) < 1000, `first paint of ${name}: ${paints.map(Math.round)}`);
  note(`first paint, ${name} (5 times, nothing cached)`, `${ms(middle(paints))}, slowest ${ms(Math.max(...paints))}`, "< 1 s");
  note(`heading of the screen is there, ${name}`, `${ms(middle(contents))}, slowest ${ms(Math.max(...contents))}`, "");
}

// ---- From a click to the answer ----
const context = await newContext(given.cookie);
const page = await newPage(context);
await page.goto(`${given.base}/console/project/${given.project}/clusters`);
await title(page, "Clusters").waitFor();
// The time in which a request was under way is the API's own.
const timed = (selector, wanted) => page.evaluate(async ({ selector, wanted }) => {
  performance.clearResourceTimings();
  const link = document.querySelector(selector), start = performance.now();
  link.click();
  await new Promise((done, fail) => {
    const until = start + 10_000;
    const look = () => document.querySelector("h1")?.textContent.includes(wanted) && !document.body.innerText.includes("Loading…") ? requestAnimationFrame(() => setTimeout(done)) : performance.now() > until ? fail(new Error(`no ${wanted}`)) : requestAnimationFrame(look);
    look();
  });
  const end = performance.now();
  const spans = performance.getEntriesByType("resource").filter((one) => one.startTime >= start && one.name.includes("/api/") && !/\/orgs\/\w+\/events$/.test(one.name)).map((one) => [one.startTime, one.responseEnd]).sort((a, b) => a[0] - b[0]);
  let busy = 0, last = start;
  for (const [from, to] of spans) if (to > last) (busy += to - Math.max(from, last), (last = to));
  return { whole: end - start, busy };
}, { selector, wanted });
const beyond = [];
for (let i = 0; i < 5; i++)
  for (const [part, heading] of [["now", "What is wrong now"], ["operations", "Operations"], ["access", "Database access"], ["people", "People and keys"], ["limits", "Limits"], ["clusters", "Clusters"]]) {
    const { whole, busy } = await timed(`nav a[href$="/${part}"]`, heading);
    beyond.push(whole - busy);
  }
note(`from a click to the drawn screen, beyond the requests themselves (${beyond.length} clicks)`, `median ${ms(middle(beyond))}, slowest ${ms(Math.max(...beyond))}`, "≤ 100 ms");
check(middle(beyond) <= 100, `beyond the requests: ${sorted(beyond).map(Math.round)}`);

// ---- Long lists ----
async function frames(act) {
  await page.evaluate(() => {
    const seen = (globalThis.seen = { gaps: [], tasks: [], on: true });
    globalThis.tasks = new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((one) => one.duration)));
    globalThis.tasks.observe({ type: "longtask" });
    let last = performance.now();
    const frame = () => { const now = performance.now(); seen.gaps.push(now - last); last = now; if (seen.on) requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  });
  await act();
  return page.evaluate(() => { globalThis.seen.on = false; globalThis.tasks.disconnect(); return globalThis.seen; });
}
function noteFrames(what, seen) {
  const gaps = sorted(seen.gaps);
  note(what, `${gaps.length} frames, median ${ms(middle(gaps))}, 95 of 100 within ${ms(gaps[Math.floor(gaps.length * 0.95)])}, longest ${ms(gaps.at(-1))}; ${seen.tasks.length} tasks over 50 ms${seen.tasks.length ? `, longest ${ms(Math.max(...seen.tasks))}` : ""}`, "smooth: 95 of 100 frames within 50 ms");
  check(gaps[Math.floor(gaps.length * 0.95)] <= 50, `${what}: 95 of 100 frames within ${gaps[Math.floor(gaps.length * 0.95)]} ms`);
}
const scroll = async (times) => { for (let i = 0; i < times; i++) { await page.mouse.wheel(0, 900); await page.waitForTimeout(16); } };
await page.mouse.move(800, 500);
let begun = Date.now();
await page.goto(`${many}/clusters`);
await page.getByText(/of 1000/).waitFor();
note("1,000 clusters: from the address to the first 100", ms(Date.now() - begun), "");
await page.getByText("1000 of 1000").waitFor({ timeout: 40_000 }).catch(async () => check(false, `the list of 1,000: ${(await page.locator("main").innerText()).slice(0, 300)}`));
note("1,000 clusters: from the address to all of them", ms(Date.now() - begun), "");
noteFrames("1,000 clusters scrolled from top to bottom", await frames(() => scroll(50)));
check((await page.evaluate(() => document.querySelectorAll("tbody tr").length)) < 120, "only rows that are seen are drawn");
await page.evaluate(() => scrollTo(0, 0));
noteFrames("1,000 clusters filtered, ten letters typed", await frames(async () => { await page.getByRole("searchbox").pressSequentially("orders-999", { delay: 30 }); await page.getByText("1 of 1000").waitFor(); }));
begun = Date.now();
await page.goto(`${many}/activity`);
await page.getByText(/of 100\d\d read/).waitFor();
note("10,000 events: from the address to the first 500", ms(Date.now() - begun), "");
const read = async () => { for (let i = 0; i < 1200 && !(await page.evaluate(() => /\b(100\d\d) of \1 read/.test(document.body.innerText))); i++) { await page.mouse.wheel(0, 1500); await page.waitForTimeout(16); } };
noteFrames("10,000 events scrolled to the oldest, read on the way", await frames(read));
check(await page.evaluate(() => /\b(100\d\d) of \1 read/.test(document.body.innerText)), "all 10,000 events were read");
await page.evaluate(() => scrollTo(0, 0));
noteFrames("10,000 events filtered, ten letters typed", await frames(async () => { await page.getByRole("searchbox").pressSequentially("created or", { delay: 30 }); await settled(page); }));
for (const [what, value] of rows) console.log(`  ${what}: ${value}`);
await please(`report ${JSON.stringify(rows)}`);
await finish();
