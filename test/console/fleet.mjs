// SPDX-License-Identifier: Apache-2.0
// The life of a cluster on real hosts, three times: by mouse, by keyboard alone, and with a finger on a phone. What people see is waited for and never read again by hand; what they copy
// from the page is given to psql, and what psql finds is what the page promised.
import { check, counts, finish, given, newContext, newPage, picture, please, settled, title as titleOn } from "./browser.mjs";
import { Finger, Keyboard, Mouse } from "./hands.mjs";

const { base } = given;
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const LONG_MS = 150_000;
const PASSWORD = "correct horse battery staple";
const SLOW = "SELECT count(*) FROM kept, generate_series(1, 200000) WHERE number = 7";
const SHOWN = { Mouse: ["steps", "connect", "moment", "metrics", "slow queries"], Keyboard: ["form", "steps", "logs"], Finger: ["steps", "connect", "moment", "metrics", "slow queries"] };
const rounds = [];
let passkey; // of the first round; the other devices have it, too

async function authenticator(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  if (passkey) await devtools.send("WebAuthn.addCredential", { authenticatorId, credential: passkey });
  return async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials[0];
}

async function walk(Hand, name, members, more = {}) {
  const copy = `${name}-restored`, context = await newContext(undefined, more);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await newPage(context), hand = new Hand(page), credential = await authenticator(page);
  const round = { how: Hand.how, members, stages: [] };
  rounds.push(round);

  const title = (text) => titleOn(page, text).waitFor();
  const button = (text) => page.getByRole("button", { name: text, exact: true });
  const link = (text) => page.getByRole("link", { name: text, exact: true });
  const inDialog = (text) => page.getByRole("dialog").getByRole("button", { name: text, exact: true });
  const field = (text) => page.getByLabel(text, { exact: true });
  const tab = (text, of = name) => page.getByRole("navigation", { name: of, exact: true }).getByRole("link", { name: text, exact: true });
  const settledAt = async (heading) => (await title(heading), settled(page));
  const long = { timeout: LONG_MS };
  const psql = (string, statement) => please(`psql ${JSON.stringify({ string, password: PASSWORD, statement })}`);
  const isIn = () => page.locator(".facts .state").getByText("idle", { exact: true }).waitFor(long);

  async function stage(what, act) {
    const began = Date.now(), presses = hand.presses, keys = hand.keys;
    try {
      await act();
      counts.passed++;
    } catch (error) {
      counts.failed++;
      console.log(`FAIL ${Hand.how}, ${what}: ${String(error).split("\n").slice(0, 6).join(" ")} ${await page.locator("main").innerText().catch(() => "")}`);
      await picture(page, `${given.pictures}/failed.webp`);
      throw error;
    } finally {
      passkey = await credential(); // it counts how often it was used, and the service remembers
      round.stages.push({ what, seconds: (Date.now() - began) / 1000, presses: hand.presses - presses, keys: hand.keys - keys });
      console.log(`${Hand.how}: ${what}, ${((Date.now() - began) / 1000).toFixed(1)} s`);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `${Hand.how}, ${what}: the page is ${wide} pixels wider than the screen`);
    const current = await page.locator(".tabs [aria-current]").evaluateAll((tabs) => tabs.every((one) => one.getBoundingClientRect().right <= innerWidth));
    check(current, `${Hand.how}, ${what}: the tab that somebody is on is in view`);
    await shot(what);
  }
  const shot = async (what) => SHOWN[Hand.name].includes(what) && (await picture(page, `${given.pictures}/${name}-${what.replace(" ", "-")}.webp`));
  // To the screen of a cluster, from wherever they are.
  async function open(cluster) {
    await hand.goTo("Clusters");
    await hand.press(link(cluster), "a cluster in the list");
    await settledAt(cluster);
  }
  async function watch(cluster) {
    await page.evaluate(() => (globalThis.sameDocument = true));
    await hand.press(page.getByRole("link", { name: /^Working on it/ }), "what is being done");
    await page.locator(".steps li").first().waitFor();
    await settled(page);
    const seen = new Set(), states = () => page.locator(".steps li").evaluateAll((steps) => steps.map((one) => one.className));
    const end = Date.now() + LONG_MS;
    while (Date.now() < end && !(await states()).every((one) => one === "done")) {
      seen.add((await states()).join());
      if (seen.size === 2) await shot("steps");
      await page.waitForTimeout(200);
    }
    await page.locator(".facts .state").getByText("done", { exact: true }).waitFor();
    check(seen.size > 1, `${Hand.how}: the steps of ${cluster} went on while somebody looked, in ${seen.size} pictures`);
    check(await page.evaluate(() => globalThis.sameDocument === true), `${Hand.how}: nobody had to load the page again`);
    await hand.press(link(`Go to ${cluster}`), "back to the cluster");
    await isIn();
  }
  async function stringOf(cluster) {
    await hand.press(tab("Connect", cluster), "Connect");
    await settledAt(`Connect to ${cluster}`);
    const row = page.locator(".copied").filter({ has: page.locator(".kind", { hasText: /^psql$/ }) });
    await row.waitFor(long);
    await hand.press(row.getByRole("button", { name: "Copy" }), "Copy");
    await row.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    check(copied === (await row.locator("code").innerText()), `${Hand.how}: what is copied is what is shown`);
    return copied;
  }
  async function remove(cluster) {
    await open(cluster);
    await hand.press(button("Delete"), "Delete");
    if (cluster === name) await page.getByText("Its members, its data and its backups are removed.").waitFor();
    check(await inDialog("Delete").isDisabled(), `${Hand.how}: it cannot be deleted before its name is typed`);
    await hand.type(field("Type the cluster's name to confirm"), cluster, "the name");
    await hand.press(inDialog("Delete"), "Delete, in the dialog");
    await settledAt("Clusters");
  }

  if (!passkey) await stage("a passkey by a link", async () => {
    await page.goto(`${base}/console/enrol#${given.token}`);
    await hand.type(field("What you call it"), "laptop", "the passkey's name");
    await hand.press(button("Make a passkey"), "Make a passkey");
    await title("Projects");
    await hand.press(button("Sign out"), "Sign out");
    await title("Sign in");
  });
  await stage("sign in", async () => {
    await page.goto(`${base}/console/`);
    await hand.press(button("Sign in with a passkey"), "Sign in with a passkey");
    await settledAt("Projects");
  });
  await stage("a project", async () => {
    await hand.press(button("Create a project"), "Create a project");
    await hand.type(field("Name"), name, "the project's name");
    await hand.press(inDialog("Create a project"), "Create a project, in the dialog");
    await settledAt("Clusters");
  });
  await stage("create", async () => {
    await hand.press(link("Create a cluster"), "Create a cluster");
    await hand.type(field("Name"), name, "the cluster's name");
    await hand.choose(field("Members"), String(members), "Members");
    await hand.tick(page.getByRole("checkbox", { name: "Backups" }), "Backups");
    await hand.press(button("Check first"), "Check first");
    await page.getByText("The service would accept this.").waitFor();
    await shot("form");
    await hand.press(button("Create"), "Create");
    await settledAt(name);
  });
  await stage("watch", () => watch(name));
  let string;
  await stage("connect", async () => {
    await hand.press(tab("Connect"), "Connect");
    await settledAt(`Connect to ${name}`);
    await hand.press(button("Add a user"), "Add a user");
    await hand.type(field("User"), "app", "User");
    await hand.type(field("Password"), PASSWORD, "Password");
    await hand.press(inDialog("Add a user"), "Add a user, in the dialog");
    await page.locator(".flow li").first().getByText("app", { exact: true }).waitFor();
    await hand.press(page.getByRole("button", { name: /^Let in this browser/ }), "Let in this browser");
    await page.locator(".flow li").nth(1).getByText(/\/32/).waitFor();
    string = await stringOf(name);
    const strings = await page.locator(".copied code").allInnerTexts();
    check(strings.every((one) => one.split("://").length <= 2), `${Hand.how}: a driver's list of strings is not one string`);
  });
  // What is kept, a second later what is to be undone, and what servers say about both.
  let moment;
  await stage("psql writes", async () => {
    const made = await psql(string, "CREATE TABLE kept AS SELECT n AS number, md5(n::text) AS word FROM generate_series(1, 20000) n");
    check(made.status === 0, `${Hand.how}: psql with the string of the page: ${made.error}`);
    moment = Math.ceil(Date.now() / 1000) + 1;
    while (Date.now() < (moment + 1) * 1000) await page.waitForTimeout(50);
    check((await psql(string, "DELETE FROM kept WHERE number > 7; INSERT INTO kept VALUES (0, 'too late')")).status === 0, "the mistake");
    check((await psql(string, `SELECT * FROM nowhere_${name.replace(/-/g, "_")}`)).status !== 0, "an error for the log");
  });
  await stage("restore", async () => {
    await hand.press(tab("Restore"), "Restore");
    await title(`${name}: restore`);
    const slider = page.getByRole("slider");
    await slider.waitFor(long);
    await page.waitForFunction((wanted) => Number(document.querySelector("input[type=range]")?.max) >= wanted, moment, long);
    await hand.slide(slider, moment, "Moment");
    check((await page.locator("input[type=datetime-local]").inputValue()) === new Date(moment * 1000).toISOString().slice(0, 19), `${Hand.how}: the clock shows the second of the bar`);
    await shot("moment");
    await hand.press(button("Restore"), "Restore");
    await page.getByText(`Making ${copy}`).waitFor();
    await titleOn(page, copy).waitFor(long);
    await settled(page);
    await page.getByRole("link", { name: /^Working on it/ }).waitFor();
    await watch(copy);
  });
  await stage("psql reads what was restored", async () => {
    const restored = await stringOf(copy);
    const { status, output, error } = await psql(restored, "SELECT count(*), min(number), max(number) FROM kept");
    check(status === 0 && output === "20000|1|20000", `${Hand.how}: rows of ${new Date(moment * 1000).toISOString()}: ${output} ${error}`);
    check((await psql(string, "SELECT count(*) FROM kept")).output === "8", `${Hand.how}: the cluster that was restored from is as it was`);
  });
  await stage("metrics", async () => {
    await open(name);
    await hand.press(tab("Metrics"), "Metrics");
    await title(`${name}: metrics`);
    await page.getByRole("img", { name: /Transactions a second\. .*committed: [0-9.]+/ }).waitFor(long);
    check((await page.getByRole("img").count()) === 4, `${Hand.how}: four charts`);
    check(await page.getByRole("img", { name: /^Disk, GB\. .*used: [0-9.]+/ }).isVisible(), `${Hand.how}: the disk was measured`);
  });
  await stage("logs", async () => {
    await hand.press(tab("Logs"), "Logs");
    await title(`${name}: logs`);
    await hand.type(page.getByRole("searchbox", { name: "Only lines with…" }), "nowhere_", "Only lines with…");
    await page.getByRole("log").getByText(/ERROR.*nowhere_/).first().waitFor(long);
  });
  await stage("slow queries", async () => {
    await hand.press(tab("Slow queries"), "Slow queries");
    await title(`${name}: slow queries`);
    const row = page.getByRole("table", { name: "What takes most time" }).getByText(/generate_series/i).first();
    // What a server ran before it was looked at for the first time is not told, so the application goes on.
    for (const end = Date.now() + LONG_MS; Date.now() < end && !(await row.isVisible()); await page.waitForTimeout(1000)) await psql(string, SLOW);
    check(await row.isVisible(), `${Hand.how}: a slow query is on the screen`);
  });
  await stage("delete", async () => {
    for (const cluster of [copy, name]) await remove(cluster);
    for (const cluster of [copy, name]) await link(cluster).waitFor({ state: "detached", timeout: LONG_MS });
    await page.getByText("No cluster yet.").waitFor();
    for (const cluster of [copy, name]) check((await please(`gone ${cluster}`)) === true, `${Hand.how}: ${cluster} is gone from the hosts`);
  });
  round.presses = hand.presses;
  round.keys = hand.keys;
  await context.close();
}

const WALKS = [[Mouse, "by-mouse", 3], [Keyboard, "by-keys", 1], [Finger, "by-finger", 1, PHONE]];
for (const [Hand, name, members, more] of WALKS.filter((one) => !given.only || given.only.includes(one[1])))
  await walk(Hand, name + (given.mark ?? ""), members, more).catch((error) => console.log(String(error).split("\n")[0]));
await please(`report ${JSON.stringify(rounds)}`);
await finish();
