// SPDX-License-Identifier: Apache-2.0
// Ten tabs read one stream. The node that sends it is killed: every tab says so, and afterwards has everything that happened meanwhile.
import { check, finish, given, newContext, newPage, please, step, title } from "./browser.mjs";

const before = await please("open");
const context = await newContext(given.cookie);
const pages = [];
for (let i = 0; i < 10; i++) pages.push(await newPage(context, true));
await Promise.all(pages.map((page) => page.goto(`${given.base}/console/project/${given.project}/activity`)));
const all = (act) => Promise.all(pages.map(act));
const status = (page, name) => page.locator("header .live").filter({ hasText: name });
const shows = (page, name) => page.getByRole("cell", { name, exact: true }).first().waitFor();

await step(pages[0], "all ten tabs are live", () => all(async (page) => {
  await title(page, "What changed, and who did it").waitFor();
  await status(page, /^Live$/).waitFor();
}));
const streams = (await please("open")) - before;
check(streams === 1, `${streams} streams are open at the nodes`);
console.log(`  ten tabs, ${streams} stream`);
await step(pages[0], "what happens is on all ten", async () => {
  check((await please("make tabs-one")) === 201, "a database user was made");
  await all((page) => shows(page, "tabs-one"));
});
await step(pages[0], "the node is killed: all ten say that they are not live", async () => {
  await please("kill");
  await all((page) => status(page, /Not live/).waitFor());
});
for (let i = 1; i <= 20; i++) check((await please(`make tabs-meanwhile-${i}`)) === 201, "a database user was made meanwhile");
const lost = Date.now();
await please("again");
await step(pages[0], "all ten are live again by themselves, at the other node", () => all((page) => status(page, /^Live$/).waitFor()));
console.log(`  live again ${((Date.now() - lost) / 1000).toFixed(1)} s after another node could be reached`);
await step(pages[0], "nothing that happened meanwhile is missing", () => all(async (page) => {
  for (let i = 1; i <= 20; i++) await shows(page, `tabs-meanwhile-${i}`);
}));
await step(pages[1], "the tab that reads is closed: another one reads", async () => {
  // The first that was opened has the lock.
  await pages.shift().close();
  await please("make tabs-last");
  await all((page) => shows(page, "tabs-last"));
  const now = (await please("open")) - before;
  check(now === 1, `${now} streams are open after one tab was closed`);
});
await finish();
