// SPDX-License-Identifier: Apache-2.0
// What an operator does in their console, at their own address: from the first passkey to a host that is empty, with every screen looked at in both schemes and on a phone;
// and that other origins get nothing of it.
import { check, commands, finish, given, look as lookAt, newContext, newPage, please, settled as settledOn, step as stepOn, title as titleOn, visit, wordsOf } from "./browser.mjs";

const { base, tenants, token, failed } = given;
const context = await newContext();
const page = await newPage(context);
const title = (text) => titleOn(page, text), look = (name) => lookAt(page, name), settled = () => settledOn(page), step = (sentence, act) => stepOn(page, sentence, act);
const dialog = page.getByRole("dialog"), button = (name, exact = true) => page.getByRole("button", { name, exact });
const sql = (text) => please(`sql ${JSON.stringify(text)}`);
const menu = (name) => page.getByRole("navigation", { name: "Menu" }).getByRole("link", { name, exact: true });
const devtools = await context.newCDPSession(page);
await devtools.send("WebAuthn.enable");
await devtools.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });
const confirmations = [];
page.on("request", (request) => request.url().endsWith("/sign-in/confirm") && confirmations.push(request.url()));
const leaveTheDesk = () => sql("UPDATE operator_session SET verified_at = now() - interval '6 minutes'");

await step("somebody who is not signed in is led to sign in", async () => {
  await page.goto(`${base}/console/hosts/h1`);
  await title("Sign in").waitFor();
  check(page.url().includes("next=%2Fconsole%2Fhosts%2Fh1"), `where they wanted to go is kept: ${page.url()}`);
  check((await page.getByLabel("Password").count()) === 0, "operators have no passwords");
});
await look("sign-in");
await step("a first passkey by a link", async () => {
  await page.goto(`${base}/console/enrol#${token}`);
  await title("How you will sign in").waitFor();
  await page.getByText("ada", { exact: true }).waitFor();
  await look("enrol");
  await button("Make a passkey").click();
  await title("What is wrong now").waitFor();
});
await step("signing out and in again, to where one wanted to go", async () => {
  await button("Sign out").click();
  await title("Sign in").waitFor();
  await page.goto(`${base}/console/hosts/h1`);
  await button("Sign in with a passkey").click();
  await title("h1").waitFor();
});
await step("what is wrong now: the worst first, and each line leads on", async () => {
  await menu("What is wrong now").click();
  await title("What is wrong now").waitFor();
  await page.getByRole("link", { name: "h3 is silent" }).waitFor();
  const lines = await page.locator(".now li").allInnerTexts();
  check(/no primary/i.test(lines[0]), `a cluster without a primary comes first: ${lines[0]}`);
  const at = (what) => lines.findIndex((line) => what.test(line));
  check(at(/h3 is silent/) < at(/Cluster create: orders-10/) && at(/Cluster create: orders-10/) < at(/degraded/i), `the order of ${lines.join(" | ")}`);
  check(/no host of EU_NORTH/.test(lines[at(/Cluster create: orders-10/)]), "what a failed job waits for is said");
});
await look("now");
await step("a host that falls silent is there without loading again", async () => {
  await please("silence h9");
  await page.getByRole("link", { name: "h9 is silent" }).waitFor();
  await page.getByRole("link", { name: "h9 is silent" }).click();
  await title("h9").waitFor();
});

// ---- The fleet ----
await step("the fleet: the worst first", async () => {
  await menu("Clusters").click();
  await title("Clusters").waitFor();
  await page.getByText(/^1,?\d\d\d clusters$/).waitFor();
  check((await page.locator("tbody tr:not([aria-hidden])").first().innerText()).includes("events-4"), "the cluster without a primary is the first one");
});
await look("fleet");
await step("narrowed by facets, searched and sorted, and all of it is in the address", async () => {
  await page.getByLabel("State", { exact: true }).selectOption("DEGRADED");
  await page.waitForURL(/state=DEGRADED/);
  await page.getByLabel("Owner").selectOption("company-0");
  await page.getByLabel("Version").selectOption("17");
  await page.getByRole("searchbox").fill("orders");
  await page.waitForURL(/search=orders/);
  await page.getByLabel("Order").selectOption("lag");
  await page.waitForURL(/sort=lag/);
  await page.goto(page.url());
  await page.getByRole("status").filter({ hasText: /clusters$/ }).waitFor();
  check((await page.getByLabel("Owner").inputValue()) === "company-0" && (await page.getByRole("searchbox").inputValue()) === "orders", "an address shows the same list to somebody else");
  await button("Clear filters").click();
  await page.getByText(/^1,?\d\d\d clusters$/).waitFor();
  for (const [label, value] of [["Region", "EU_NORTH"], ["Size", "M20"], ["Lag", "1048576"], ["Last proven restore", "30"]]) {
    await page.getByLabel(label).selectOption(value);
    await settled();
  }
  await page.waitForFunction(() => /^[1-9]\d* clusters$/m.test(document.body.innerText) && !/^1,?\d\d\d clusters$/m.test(document.body.innerText));
});
await look("fleet-narrowed");
const rows = [];
await step("a thousand clusters are there as quickly as the service answers, and scroll smoothly", async () => {
  const beyond = [];
  for (let i = 0; i < 5; i++) {
    await visit(page, "/console/history");
    await title("What changed, and who did it").waitFor();
    await page.evaluate(() => performance.clearResourceTimings());
    const took = await page.evaluate(async () => {
      const began = performance.now();
      history.pushState(null, "", "/console/clusters");
      dispatchEvent(new PopStateEvent("popstate"));
      while (!/\d clusters/.test(document.querySelector(".filters")?.textContent ?? "") || !document.querySelector("tbody a")) await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      const drawn = performance.now();
      const asked = performance.getEntriesByType("resource").find((one) => one.name.includes("/operator/v1/clusters"));
      return { all: drawn - began, api: asked.duration };
    });
    beyond.push(took.all - took.api);
  }
  beyond.sort((a, b) => a - b);
  rows.push(["first page of 1,000 clusters, beyond the answer of the API (median of 5)", `${Math.round(beyond[2])} ms`, "< 200 ms"]);
  /* Whatever else runs on the machine is in it, so that it is judged where figures are. */
  check(!given.isMeasured || beyond[2] < 200, `the first page takes ${beyond.map(Math.round)} ms beyond the API`);
  const scrolled = await page.evaluate(async () => {
    const frames = [];
    const began = performance.now();
    let last = began;
    const total = () => Number(document.querySelector("table").getAttribute("aria-rowcount")) - 1;
    for (let still = 0; still < 60 && performance.now() - began < 30_000; ) {
      scrollBy(0, 400);
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      frames.push(now - last);
      last = now;
      still = scrollY + innerHeight >= document.documentElement.scrollHeight - 2 ? still + 1 : 0;
    }
    frames.sort((a, b) => a - b);
    return { total: total(), middle: frames[Math.floor(frames.length / 2)], late: frames[Math.floor(frames.length * 0.95)], drawn: document.querySelectorAll("tbody tr").length };
  });
  rows.push(["scrolling through all of them: a picture (median, 95th of 100)", `${Math.round(scrolled.middle)} ms, ${Math.round(scrolled.late)} ms`, "–"]);
  check(scrolled.total >= 1000 && scrolled.drawn < 200, `${scrolled.total} clusters are listed, ${scrolled.drawn} rows drawn`);
});
await step("one cluster: its members, their hosts, its jobs", async () => {
  await visit(page, "/console/clusters?search=orders-10");
  await page.getByRole("link", { name: "orders-10", exact: true }).click();
  await title("orders-10").waitFor();
  await page.getByText("no host of EU_NORTH").waitFor();
});
await look("cluster");

await step("what others named is one word in a line to copy, whatever it is", async () => {
  const owner = "Acme' & touch pwned & echo 'Ltd";
  await sql(`SET session_replication_role = replica; INSERT INTO organization (id, name, federation_id, access_list_required) VALUES ('\\x7f0000000000000000000001', $$${owner}$$, '\\x7f0000000000000000000001', false)`);
  await page.goto(`${base}/console/clusters`);
  await page.getByLabel("Owner").selectOption(owner);
  await page.waitForURL(/organization=Acme/);
  check((await wordsOf(page, "reeve")).includes(`--organization=${owner}`), "the owner's name");
  check(new URL((await wordsOf(page, "curl")).at(-1)).searchParams.get("organization") === owner, "the owner's name in an address");
  await sql("SET session_replication_role = replica; DELETE FROM organization WHERE id = '\\x7f0000000000000000000001'");
  for (const [name, before] of [["x;id'", []], ["$(id)", []], ["a\x1b[201~\nid", []], ["--help", ["--"]]]) {
    await page.goto(`${base}/console/jobs/${encodeURIComponent(name)}`);
    const words = await wordsOf(page, "reeve");
    check(JSON.stringify(words) === JSON.stringify(["fleet", "jobs", "show", ...before, name]), `a job called ${JSON.stringify(name)}: ${JSON.stringify(words)}`);
  }
});

// ---- Hosts ----
await step("hosts: the fullest first", async () => {
  await menu("Hosts").click();
  await title("Hosts").waitFor();
  await page.getByRole("link", { name: "h20", exact: true }).waitFor();
  check((await page.locator("tbody tr").first().innerText()).startsWith("h20"), "the fullest is the first one");
});
await look("hosts");
await step("one host: what is on it and how full it is", async () => {
  await page.getByRole("link", { name: "h20", exact: true }).click();
  await title("h20").waitFor();
  await page.getByRole("link", { name: "orders-0" }).waitFor();
});
await look("host");
await step("draining says first what it would do, and asks for the name", async () => {
  await leaveTheDesk();
  await button("Drain…").click();
  await dialog.getByText("Members that move: 3.").waitFor();
  await dialog.getByText("Clusters that get another primary: 1.").waitFor();
  check(confirmations.length === 0, "looking first needs no passkey");
  check((await sql("SELECT state FROM host WHERE name = 'h20'")) === "ACTIVE", "looking first changes nothing");
  check(await dialog.getByRole("button", { name: "Drain", exact: true }).isDisabled(), "it cannot be sent before the name is typed");
  await look("drain");
  await dialog.getByLabel("Type the host's name to drain it").fill("h2");
  check(await dialog.getByRole("button", { name: "Drain", exact: true }).isDisabled(), "nor with another name");
  await dialog.getByLabel("Type the host's name to drain it").fill("h20");
  await dialog.getByRole("button", { name: "Drain", exact: true }).click();
  await page.getByRole("heading", { name: "Being emptied: 3 members still on it" }).waitFor();
  check(confirmations.length === 1, `the passkey was asked for once: ${confirmations.length}`);
  await page.locator(".steps li").first().waitFor();
});
await look("draining");
await step("until it is empty", async () => {
  await please("empty h20");
  await page.getByRole("heading", { name: "It is empty" }).waitFor();
});
await look("drained");
await step("and takes members again, by keyboard alone", async () => {
  await button("Put members on it again").focus();
  await page.keyboard.press("Enter");
  await button("Drain…").waitFor();
});
await step("another host is drained by keyboard alone", async () => {
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Search and commands" }).waitFor();
  await page.keyboard.type("h11");
  await page.getByRole("option", { name: "h11" }).first().waitFor();
  await look("palette");
  await page.keyboard.press("Enter");
  await title("h11").waitFor();
  await button("Drain…").waitFor();
  for (let i = 0; i < 40 && !(await button("Drain…").evaluate((one) => one === document.activeElement)); i++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await dialog.getByText(/Members that move/).waitFor();
  check(await dialog.getByLabel("Type the host's name to drain it").evaluate((one) => one === document.activeElement), "one can type at once");
  await page.keyboard.type("h11");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /Being emptied/ }).waitFor();
});

// ---- Jobs ----
await step("jobs: what a failed one waits for, and every try", async () => {
  await menu("Jobs").click();
  await title("Jobs").waitFor();
  await page.getByText("no host of EU_NORTH").waitFor();
  await look("jobs");
  await page.getByLabel("State", { exact: true }).selectOption("FAILED");
  await page.waitForURL(/state=FAILED/);
  await page.getByRole("link", { name: "Cluster create" }).click();
  await title("Cluster create: orders-10").waitFor();
  check((await page.locator(".steps li").count()) >= 5, "its steps are there");
});
await look("job");
await step("and it is retried", async () => {
  await button("Retry now").click();
  await page.locator(".facts").getByText("queued").waitFor();
  check((await sql(`SELECT state FROM job WHERE id = decode('${failed}', 'hex')`)) === "QUEUED", "the job is queued");
});

// ---- Updates ----
await step("updates: who is behind", async () => {
  await menu("Updates").click();
  await title("Updates").waitFor();
  await page.getByRole("cell", { name: /behind/i }).first().waitFor();
});
await look("updates");
await step("an update is begun: first its plan", async () => {
  await leaveTheDesk();
  const before = confirmations.length;
  await button("Begin an update…").click();
  await dialog.getByLabel("First (canaries)").fill("product-20");
  await look("update-begin");
  await dialog.getByRole("button", { name: "Show the plan" }).click();
  await dialog.getByText(/Clusters that would be updated: [1-9]/).waitFor();
  await dialog.getByText("canary").first().waitFor();
  check((await sql("SELECT count(*) FROM fleet_update")) === "0", "a plan begins nothing");
  await look("update-plan");
  await dialog.getByRole("button", { name: "Begin", exact: true }).click();
  await title(/^Update of/).waitFor();
  await page.getByText(/^0 of \d+ done$/).first().waitFor();
  check(confirmations.length === before + 1, "to begin needs the passkey");
});
await look("update");
await step("and stopped, which needs nothing", async () => {
  await leaveTheDesk();
  const before = confirmations.length;
  await button("Stop").click();
  await button("Continue").waitFor();
  check(confirmations.length === before, "to stop needs no passkey");
});

// ---- Organizations ----
await step("organizations: what is not paid", async () => {
  await menu("Organizations").click();
  await title("Organizations").waitFor();
  await page.getByRole("cell", { name: "123.45" }).waitFor();
});
await look("organizations");
await step("all of them are listed, however many there are, and only whole words are asked for", async () => {
  await sql("SET session_replication_role = replica; INSERT INTO organization (id, name, federation_id, access_list_required) SELECT decode('7e' || lpad(to_hex(n), 22, '0'), 'hex'), 'many-' || n, decode('7e' || lpad(to_hex(n), 22, '0'), 'hex'), false FROM generate_series(1, 600) n");
  await page.goto(`${base}/console/organizations`);
  await page.getByRole("table", { name: "Organizations" }).waitFor();
  check(Number(await page.getByRole("table", { name: "Organizations" }).getAttribute("aria-rowcount")) > 600, "they are all in the list");
  const asked = new Set();
  page.on("request", (request) => request.url().includes("/organizations?") && asked.add(new URL(request.url()).searchParams.get("name")));
  await page.getByLabel("Part of the name").pressSequentially("many-599");
  await page.getByRole("link", { name: "many-599", exact: true }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("table")[0]?.getAttribute("aria-rowcount") === "2");
  check(asked.size <= 3, `asked for ${[...asked]}`);
  await page.goto(`${base}/console/clusters`);
  await page.getByLabel("Owner").locator("option", { hasText: "many-599" }).waitFor({ state: "attached" });
  await sql("SET session_replication_role = replica; DELETE FROM organization WHERE name LIKE 'many-%'");
  await page.goto(`${base}/console/organizations`);
});
await step("one of them is locked, and unlocked", async () => {
  await page.getByLabel("Part of the name").fill("company-4");
  await page.getByRole("link", { name: "company-4", exact: true }).click();
  await title("company-4").waitFor();
  await button("Lock").click();
  await dialog.getByLabel("Reason").fill("Abuse of the service");
  await dialog.getByRole("button", { name: "Lock" }).click();
  await page.getByText(/Locked .*Abuse of the service/).waitFor();
  await look("organization");
  await button("Unlock").click();
  await dialog.getByRole("button", { name: "Unlock" }).click();
  await button("Lock").waitFor();
});
await step("and gets a rate limit of its own", async () => {
  await button("Set a rate limit").click();
  await dialog.getByLabel("Endpoint set").fill("S17");
  await dialog.getByLabel("Largest burst").fill("200");
  await dialog.getByLabel("A minute").fill("100");
  await dialog.getByRole("button", { name: "Set a rate limit" }).click();
  await page.getByRole("cell", { name: "S17", exact: true }).waitFor();
  await button("Usual again S17").click();
  await dialog.getByRole("button", { name: "Usual again" }).click();
  await page.getByText("It has the usual rate limits.").waitFor();
});
await step("an invoice is paid, with the passkey", async () => {
  await leaveTheDesk();
  const before = confirmations.length;
  await menu("Organizations").click();
  await page.getByRole("button", { name: /^It was paid company-3/ }).click();
  await dialog.getByLabel("Note").fill("Transfer");
  await dialog.getByRole("button", { name: "It was paid" }).click();
  await page.getByText("All invoices are paid.").waitFor();
  check(confirmations.length === before + 1, "money needs the passkey");
});

// ---- What changed ----
await step("what changed, and who did it", async () => {
  await menu("What changed").click();
  await title("What changed, and who did it").waitFor();
  await page.getByRole("button", { name: "Drain host" }).first().waitFor();
  await look("history");
  await page.getByLabel("Only what this operator did").selectOption("ada");
  await page.waitForURL(/operator=ada/);
  await page.getByRole("searchbox").fill("lock organization");
  await page.getByRole("button", { name: "Lock organization", exact: true }).click();
  await dialog.getByText("Abuse of the service").waitFor();
});
await look("change");
await step("sessions", async () => {
  await page.keyboard.press("Escape");
  await page.goto(`${base}/console/account`);
  await title("ada").waitFor();
  await page.getByText("this one").waitFor();
});
await look("account");

// ---- Every operation ----
await step("the palette finds every operation, and its form sends it", async () => {
  await page.keyboard.press("Control+k");
  await page.keyboard.type("return all hosts");
  await page.keyboard.press("Enter");
  await title("Return all hosts").waitFor();
  await button("Send").click();
  await page.getByText('"totalCount"').waitFor();
});
await look("explorer");
const operations = (await (await context.request.get(`${base}/console/data/index.json`)).json()).operations;
await step("each operation has a form, and a command that the program knows", async () => {
  check(operations.length > 50, `${operations.length} operations`);
  for (const [id, method, , summary] of operations) {
    await visit(page, `/console/explorer/${id}`);
    await title(summary).waitFor();
    await page.locator(".command code").first().waitFor({ state: "attached" });
    for (const line of await page.locator(".command code").allTextContents()) if (line.startsWith("reeve ")) commands.add(line);
    check((await button("Send").count()) === 1, `${method} ${id} can be sent`);
  }
});
await step("an address that is none", async () => {
  await page.goto(`${base}/console/nothing`);
  await title("There is nothing at this address.").waitFor();
  await visit(page, "/console/hosts/%E0%A4%A");
  await title("There is nothing at this address.").waitFor();
  await visit(page, "/console/constructor");
  await title("There is nothing at this address.").waitFor();
  const asked = page.waitForRequest((one) => one.url().includes("/operator/v1/organizations/"));
  await visit(page, "/console/organizations/..%2Fhosts%3F");
  check(new URL((await asked).url()).pathname === "/operator/v1/organizations/..%2Fhosts%3F", "a name in an address stays one word");
  await page.goto(`${base}/console/hosts/none`);
  await page.getByRole("alert").waitFor();
});
await look("missing");

// ---- Not live ----
await step("when nobody answers, what was there stays, and the page says so", async () => {
  await page.goto("about:blank"); // it would complain, too
  const other = await newPage(context, true);
  await other.goto(`${base}/console/hosts`);
  await other.getByText("Up to date").waitFor();
  await other.getByRole("link", { name: "h1", exact: true }).waitFor();
  await context.setOffline(true);
  await other.getByText("Not live").waitFor();
  check(await other.getByRole("link", { name: "h1", exact: true }).isVisible(), "the hosts are still there");
  await lookAt(other, "not-live");
  await context.setOffline(false);
  await other.getByText("Up to date").waitFor();
  await other.close();
});

await step("answers that take longer than the pause between two questions are seen", async () => {
  const other = await newPage(context, true);
  await other.goto(`${base}/console/hosts`);
  await other.getByRole("link", { name: "h14", exact: true }).waitFor();
  let asked = 0, open = 0, most = 0;
  await other.route("**/operator/v1/hosts?*", async (route) => {
    asked++;
    most = Math.max(most, ++open);
    await new Promise((slowly) => setTimeout(slowly, 7_000));
    open--;
    await route.continue().catch(() => undefined);
  });
  await please("silence h14");
  await other.getByRole("row", { name: /^h14 .*silent/ }).waitFor({ timeout: 40_000 });
  check(asked > 0 && most === 1, `${asked} were asked for, ${most} at once`);
  await other.close();
});
await step("and when one never comes, the page says that it may be old", async () => {
  const other = await newPage(context, true);
  await other.goto(`${base}/console/hosts`);
  await other.getByText("Up to date").waitFor();
  await other.route("**/operator/v1/hosts?*", () => undefined);
  await other.getByText("Not live").waitFor({ timeout: 40_000 });
  check(await other.getByRole("link", { name: "h1", exact: true }).isVisible(), "the hosts are still there");
  await other.unroute("**/operator/v1/hosts?*");
  await other.getByText("Up to date").waitFor();
  await other.close();
});

await step("at an empty desk it asks for nothing, so that the session can end, and goes on with the first movement", async () => {
  const other = await newPage(context);
  await other.clock.install();
  await other.goto(`${base}/console/hosts`);
  await other.getByText("Up to date").waitFor();
  let asked = 0;
  await other.clock.fastForward("10:05");
  await other.getByText("Paused").waitFor();
  await settledOn(other);
  other.on("request", () => asked++);
  await other.clock.runFor(60_000);
  check(asked === 0, `${asked} requests while nobody is there`);
  const answer = other.waitForResponse("**/operator/v1/hosts?*");
  await other.mouse.move(100, 100);
  await Promise.all([answer, other.getByText("Up to date").waitFor()]);
  await other.close();
});

// ---- On a phone ----
await step("on a phone nothing is wider than the screen", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  const [update, organization] = [await sql("SELECT encode(id, 'hex') FROM fleet_update LIMIT 1"), await sql("SELECT encode(id, 'hex') FROM organization WHERE name = 'company-4'")];
  const cluster = await sql("SELECT encode(id, 'hex') FROM cluster WHERE name = 'orders-10'");
  for (const [name, path] of [["now", ""], ["fleet", "/clusters"], ["cluster", `/clusters/${cluster}`], ["hosts", "/hosts"], ["host", "/hosts/h11"], ["jobs", "/jobs"], ["job", `/jobs/${failed}`], ["updates", "/updates"], ["update", `/updates/${update}`],
    ["organizations", "/organizations"], ["organization", `/organizations/${organization}`], ["history", "/history"], ["account", "/account"], ["explorer", "/explorer/startUpdate"]]) {
    await page.goto(`${base}/console${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await settled();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 390, `${path}: ${wide} pixels wide`);
    await look(`phone-${name}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

// ---- Other origins ----
await step("each address has its own page, and neither has a file of the other", async () => {
  const [ours, theirs] = [await context.request.get(`${base}/console/`), await context.request.get(`${tenants}/console/`)];
  const script = async (answer) => /<script type="module" src="\/console\/(\w+-\w+\.js)"/.exec(await answer.text())[1];
  const [our, their] = [await script(ours), await script(theirs)];
  check(our.startsWith("operator-") && their.startsWith("main-"), `${our} and ${their}`);
  for (const name of ["content-security-policy", "x-content-type-options", "cross-origin-opener-policy", "cross-origin-resource-policy", "strict-transport-security", "cache-control", "permissions-policy", "referrer-policy"])
    check(ours.headers()[name] !== undefined && ours.headers()[name] === theirs.headers()[name], `${name} is the same at both`);
  check(!("set-cookie" in ours.headers()), "a page sets no cookie");
  for (const [origin, file, mine] of [[tenants, `/console/${our}`, their], [base, `/console/${their}`, our], [tenants, "/console/operator/index.html", their], [tenants, "/console/operator/data/index.json", their], [tenants, "/console-page/operator/index.html", their]]) {
    const answer = await context.request.get(origin + file);
    check(answer.status() === 404 || (await answer.text()).includes(mine), `${origin}${file}: ${answer.status()}`);
  }
  check((await (await context.request.get(`${tenants}/console/data/index.json`)).text()).includes("drainHost") === false, "tenants do not read the operators' catalog");
});
await step("the cookie of one opens nothing at the other", async () => {
  const tenant = await newContext();
  await tenant.addCookies([{ name: "__Host-reeve_session", value: given.tenantCookie, url: base, secure: true, httpOnly: true, sameSite: "Strict" }]);
  const one = await newPage(tenant);
  await one.goto(`${base}/console/`);
  await titleOn(one, "Sign in").waitFor();
  await tenant.close();
});
for (const [what, origin] of [["another site's page", "https://evil.example"], ["a page at the tenants' address", tenants]]) {
  await step(`${what} neither frames this one nor reads or writes with its cookie`, async () => {
    const evil = await context.newPage();
    const before = await sql("SELECT count(*) FROM operator_action");
    await evil.route(`${origin}/evil`, (route) => route.fulfill({ contentType: "text/html", body: "<title>evil</title>" }));
    await evil.goto(`${origin}/evil`);
    const got = await evil.evaluate(async (base) => {
      const said = [];
      for (const path of ["/operator/v1/hosts", "/operator/v1", "/console/data/index.json"])
        said.push(await fetch(base + path, { credentials: "include" }).then(async (answer) => `read ${path}: ${(await answer.text()).length}`, () => ""));
      for (const path of ["/operator/v1/providers", "/operator/v1/sign-out", "/operator/v1/hosts/h12:drain"])
        await fetch(base + path, { method: "POST", mode: "no-cors", credentials: "include", headers: { "Content-Type": "text/plain" }, body: '{"name": "EVIL"}' }).catch(() => undefined);
      const frame = document.body.appendChild(document.createElement("iframe"));
      await new Promise((done) => ((frame.onload = done), (frame.src = base + "/console/")));
      const opened = document.createElement("script");
      said.push(await new Promise((done) => ((opened.onload = () => done("its script ran")), (opened.onerror = () => done("")), (opened.src = base + "/console/data/index.json"), document.head.append(opened))));
      return said.filter(Boolean);
    }, base);
    check(got.length === 0, `it got ${got.join(", ")}`);
    const inside = evil.frames().filter((one) => one !== evil.mainFrame());
    for (const one of inside) check((await one.locator("#app").count()) === 0, `it is in a frame: ${one.url()}`);
    check((await sql("SELECT count(*) FROM operator_action")) === before && (await sql("SELECT state FROM host WHERE name = 'h12'")) === "ACTIVE", "it changed nothing");
    await evil.close();
  });
}
await step("and the operator is still signed in", async () => {
  await page.goto(`${base}/console/`);
  await title("What is wrong now").waitFor();
});
const unknown = await please(`commands ${JSON.stringify([...commands])}`);
check(commands.size >= 50 && unknown.length === 0, `of ${commands.size} command lines that screens show the program does not know: ${unknown.join("; ")}`);
await please(`report ${JSON.stringify(rows)}`);
await finish();
