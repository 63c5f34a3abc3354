// SPDX-License-Identifier: Apache-2.0
// For each role: what the console offers is what the service allows. The service is asked, by the same person, for every operation: with a query parameter that no
// operation knows, which is looked at only after the caller's roles were.
import { check, counts, finish, given, newContext, newPage, settled, title, visit } from "./browser.mjs";

const SCREENS = ["clusters", "clusters/new", "clusters/orders", "clusters/orders/connect", "clusters/orders/logs", "operations", "access", "people", "limits"];

async function ask(operations) {
  const refused = [];
  const queue = [...operations];
  const work = async () => {
    for (let one = queue.pop(); one; one = queue.pop()) {
      const answer = await fetch(`/api/svc/v2${one.target}?notThere=1`, {
        method: one.method, headers: { Accept: "application/json", ...(one.method === "GET" ? {} : { "Content-Type": "application/json" }) },
        body: one.example === undefined ? undefined : JSON.stringify(one.example), signal: AbortSignal.timeout(30_000),
      }).catch((error) => { throw new Error(`${one.operation} ${one.target}: ${error}`); });
      const said = answer.ok ? "" : ((await answer.json().catch(() => ({}))).errorCode ?? "");
      if (answer.ok || answer.status >= 500) throw new Error(`${one.operation}: ${answer.status} ${said}`);
      if (said === "MISSING_ROLE" || said === "NOT_A_MEMBER") refused.push(one.operation);
    }
  };
  await Promise.all(Array.from({ length: 12 }, work));
  return refused;
}

let controls = 0, differences = 0, compared = 0;
for (const { role, cookie } of given.people) {
  const context = await newContext(cookie);
  const page = await newPage(context);
  await page.goto(`${given.base}/console/explorer?groupId=${given.project}`);
  await title(page, "All operations").waitFor();
  const shown = await page.evaluate(() => [...document.querySelectorAll("li[data-operation]")].map((one) => [one.dataset.operation, one.dataset.missing ?? ""]));
  const begun = Date.now();
  const refused = new Set(await page.evaluate(ask, given.operations));
  const asked = Date.now();
  compared += shown.length;
  check(shown.length === given.operations.length, `${role}: ${shown.length} operations are shown`);
  for (const [operation, missing] of shown) {
    if ((missing !== "") === refused.has(operation)) continue;
    differences++;
    check(false, `${role}: ${operation} is ${missing ? "not offered" : "offered"}, and the service ${refused.has(operation) ? "refuses" : "allows"} it`);
  }
  for (const screen of [...SCREENS.map((one) => `project/${given.project}/${one}`), `organization/${given.organization}/teams`, `organization/${given.organization}/invoices`, ""]) {
    await visit(page, `/console/${screen}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await settled(page);
    const buttons = await page.evaluate(() => [...document.querySelectorAll("[data-operation]")].map((one) => [one.dataset.operation, one.dataset.missing || (one.getAttribute("aria-disabled") === "true" ? one.title : "")]));
    for (const [operation, missing] of buttons) {
      controls++;
      if ((missing !== "") === refused.has(operation)) continue;
      differences++;
      check(false, `${role}, ${screen}: ${operation} is ${missing ? "not offered" : "offered"}`);
    }
  }
  if (differences === 0) counts.passed++;
  console.log(`  ${role}: ${shown.length - refused.size} of ${shown.length} operations (asked in ${asked - begun} ms, screens in ${Date.now() - asked} ms)`);
  await context.close();
}
console.log(`  ${given.people.length} roles, ${compared} operations and ${controls} controls of screens compared with the service: ${differences} differences`);
await finish();
