// SPDX-License-Identifier: Apache-2.0
// What all parts of the test share: Debian's Chromium, counted checks, pictures, and axe. Each part is a program whose only argument is a file of JSON and whose last line
// says how many checks passed and failed.
import axe from "axe-core";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

export const given = JSON.parse(readFileSync(process.argv[2], "utf8"));
export const counts = { passed: 0, failed: 0 };
const outside = [], violations = [], errors = [];

export function check(good, sentence) {
  if (good) counts.passed++;
  else (counts.failed++, console.log(`FAIL ${sentence}`));
  return good;
}

export const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage", ...(given.flags ?? [])] });

export async function newContext(cookie, more = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 }, colorScheme: "light", ...more });
  if (cookie) await context.addCookies([{ name: "__Host-reeve_session", value: cookie, url: given.base, secure: true, httpOnly: true, sameSite: "Strict" }]);
  return context;
}

// Whatever leaves the origin, breaks the policy or is an error of a script is seen on every page. `mayFail`: a node is killed on purpose.
export async function newPage(context, mayFail = false) {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on("request", (request) => new URL(request.url()).origin !== given.base && !request.url().startsWith("blob:") && outside.push(request.url()));
  page.on("console", (message) => {
    if (/Content Security Policy|TrustedHTML/.test(message.text())) violations.push(message.text());
    else if (message.type() === "error" && !/status of (40[0-9]|503)/.test(message.text()) && !mayFail) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error)));
  return page;
}

const sessions = new WeakMap();

// A picture as small as it can be read.
export async function picture(page, path) {
  // One for each page, and it stays: a session that ends takes the page's authenticator with it.
  if (!sessions.has(page)) sessions.set(page, await page.context().newCDPSession(page));
  const { data } = await sessions.get(page).send("Page.captureScreenshot", { format: "webp", quality: 60 });
  mkdirSync(path.replace(/\/[^/]*$/, ""), { recursive: true });
  writeFileSync(path, Buffer.from(data, "base64"));
}

// The lines for the command line that screens show.
export const commands = new Set();

// What a shell makes of the line that a screen shows for this program: the words that the program would get. The line must do nothing else.
export async function wordsOf(page, program) {
  await page.locator(".command code").first().waitFor({ state: "attached" });
  const line = (await page.locator(".command code").allTextContents()).find((one) => one.startsWith(program + " "));
  const folder = mkdtempSync(join(tmpdir(), "reeve-line-"));
  try {
    const said = execFileSync("bash", ["-c", `${program}() { printf '%s\\0' "$@"; }\n${line}`], { cwd: folder, encoding: "utf8" });
    check(readdirSync(folder).length === 0, `it does something else, too: ${line}`);
    return said.split("\0").slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// In both schemes: a picture, and what axe finds.
export async function look(page, name) {
  for (const line of await page.locator(".command code").allTextContents()) if (line.startsWith("reeve ")) commands.add(line);
  for (const scheme of ["light", "dark"]) {
    await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), scheme);
    if (given.pictures) await picture(page, `${given.pictures}/${name}-${scheme}.webp`);
    // In a world of its own: the page's policy lets no other script run.
    const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(document, { resultTypes: ["violations"] }).then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.target.join(" ")).slice(0, 3).join("; "))); })()`).catch((error) => [String(error)]);
    check(found.length === 0, `axe on ${name}, ${scheme}: ${found.join(" | ")}`);
  }
  await page.evaluate(() => (document.documentElement.dataset.theme = "light"));
}

export async function step(page, sentence, act) {
  try {
    await act();
    counts.passed++;
  } catch (error) {
    counts.failed++;
    const said = await page.getByRole("alert").allInnerTexts().catch(() => []);
    console.log(`FAIL ${sentence}: ${String(error).split("\n").slice(0, 6).join(" ")} ${said.join(" ")} ${page.url()}`);
  }
}

export const title = (page, text) => page.getByRole("heading", { level: 1, name: text });
// A stream is always open, so the network is never idle.
export const settled = (page) => page.waitForFunction(() => !document.body.innerText.includes("Loading…"));
// To another screen without loading the page again, as a link does.
export const visit = (page, path) => page.evaluate((to) => { history.pushState(null, "", to); dispatchEvent(new PopStateEvent("popstate")); }, path);

// Something that only the test around this program can do: it answers with a line of JSON.
let answers;
export async function please(what) {
  answers ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  console.log(`@${what}`);
  return JSON.parse((await answers.next()).value);
}

export async function finish() {
  check(outside.length === 0, `requests to others: ${outside.slice(0, 3)}`);
  check(violations.length === 0, `policy: ${violations.slice(0, 3)}`);
  check(errors.length === 0, `errors: ${errors.slice(0, 3)}`);
  await browser.close();
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exit(counts.failed > 0 ? 1 : 0);
}
