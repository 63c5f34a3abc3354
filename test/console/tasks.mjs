// SPDX-License-Identifier: Apache-2.0
// Ten tasks of somebody who has never seen the console: every click counted, a picture of every step.
import { check, finish, given, newContext, newPage, picture, please, settled, step } from "./browser.mjs";

const { base, project } = given;
const context = await newContext(given.cookie);
await context.grantPermissions(["clipboard-read", "clipboard-write"]);
const page = await newPage(context);
const tasks = [];
let task;

const button = (name, exact = true) => page.getByRole("button", { name, exact });
const link = (name) => page.getByRole("link", { name, exact: true });
const menu = (name) => page.getByRole("navigation", { name: "Menu" }).getByRole("link", { name, exact: true });
const tab = (name) => page.getByRole("navigation", { name: "orders" }).getByRole("link", { name, exact: true });
const dialog = () => page.getByRole("dialog");

// One step: what a person does, and what they see then.
async function does(sentence, act, { clicks = 0, keys = 0 } = {}) {
  await act();
  await settled(page);
  task.clicks += clicks;
  task.keys += keys;
  const file = `${task.number}-${task.steps.length + 1}.webp`;
  await picture(page, `${given.pictures}/tasks/${file}`);
  task.steps.push({ sentence, file });
}
const click = (sentence, target) => does(sentence, () => target.click(), { clicks: 1 });
const type = (sentence, target, text) => does(sentence, () => target.fill(text), { keys: text.length });
const choose = (sentence, target, value) => does(sentence, () => target.selectOption(value), { clicks: 2 });
const sees = (sentence, target) => does(sentence, () => target.first().waitFor());

async function given_task(sentence, act) {
  task = { number: tasks.length + 1, sentence, clicks: 0, keys: 0, steps: [] };
  tasks.push(task);
  await step(page, `task ${task.number}: ${sentence}`, async () => {
    await page.goto(`${base}/console/`);
    await page.getByRole("heading", { level: 1, name: "Projects" }).waitFor();
    await act();
  });
}

await given_task("Make a cluster called shop, of three members.", async () => {
  await click("Open the project", page.getByRole("cell").getByRole("link", { name: "p", exact: true }));
  await click("Create a cluster", link("Create a cluster"));
  await type("Its name; everything else has a good default", page.getByLabel("Name"), "shop");
  await click("Create", button("Create"));
  await sees("The steps that make it, one after the other", page.getByText("Working on it"));
});
await given_task("Get the address of the cluster orders for a program in Python, with a user and from this computer.", async () => {
  await click("Clusters", menu("Clusters"));
  await click("orders", link("orders"));
  await click("Connect", tab("Connect"));
  await click("Add a user", button("Add a user"));
  await type("User", dialog().getByLabel("User"), "reader");
  await type("Password", dialog().getByLabel("Password"), "correct horse battery staple");
  await click("Add the user", dialog().getByRole("button", { name: "Add a user" }));
  await click("Let in this browser", button(/Let in this browser/, false));
  await click("Copy the string", page.locator(".copied").filter({ hasText: "psycopg" }).or(page.locator(".copied")).first().getByRole("button", { name: "Copy" }));
});
await given_task("See whether anything is wrong, and what the service is doing.", async () => {
  await click("What is wrong now", menu("What is wrong now"));
  await click("The operation that runs", page.locator(".now a").first());
  await sees("Its steps, and what it waits for", page.locator(".steps li"));
});
await given_task("Find out who added a database user, and from which address.", async () => {
  await click("What changed", menu("What changed"));
  await type("Filter", page.getByRole("searchbox"), "database user");
  await click("The event", button("Database user created").first());
  await sees("Who, when, from where, and what is different", dialog().getByText("From"));
});
await given_task("Look for errors in the log of the server.", async () => {
  await click("Clusters", menu("Clusters"));
  await click("orders", link("orders"));
  await click("Logs", tab("Logs"));
  await type("Only lines with", page.getByRole("searchbox"), "ERROR");
});
await given_task("Have the cluster orders back as it was ten minutes ago, beside what is there now.", async () => {
  await click("Clusters", menu("Clusters"));
  await click("orders", link("orders"));
  await click("Restore", tab("Restore"));
  await does("Ten minutes ago", () => page.getByLabel("Moment (UTC)").last().evaluate((input) => {
    input.value = new Date(Date.now() - 600_000).toISOString().slice(0, 19);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }), { keys: 14 });
  await sees("A new cluster is what it goes into; one click more begins it", button("Restore"));
});
await given_task("Let a colleague read everything in the project, but change nothing.", async () => {
  await click("People and keys", menu("People and keys"));
  await click("Add somebody", button("Add somebody"));
  await type("Address", dialog().getByLabel("E-mail address"), "grace@example.org");
  await choose("May", dialog().getByLabel("May"), "GROUP_READ_ONLY");
  await click("Add", dialog().getByRole("button", { name: "Add somebody" }));
  await sees("She is on the list, invited", page.getByText("grace@example.org"));
});
await given_task("Make a key for a program that reads the project.", async () => {
  await click("People and keys", menu("People and keys"));
  await click("Create a key", button("Create a key"));
  await type("What it is for", dialog().getByLabel("What it is for"), "nightly report");
  await choose("May", dialog().getByLabel("May"), "GROUP_READ_ONLY");
  await click("Create", dialog().getByRole("button", { name: "Create a key" }));
  await sees("The key, shown once, with a button that copies it", dialog().getByText("shown only now"));
});
await given_task("Do something that has no button of its own: be told when a cluster is paused.", async () => {
  await does("Press / anywhere and type", async () => { await page.keyboard.press("/"); await page.getByRole("combobox", { name: "Search and commands" }).fill("create alert configuration"); }, { keys: 27 });
  await does("Enter opens the form", () => page.keyboard.press("Enter"), { keys: 1 });
  await click("Fill in an example", button("Fill in an example"));
  await sees("The form, the command line and curl for it", button("Send"));
});
await given_task("Delete the cluster shop for good.", async () => {
  await click("Clusters", menu("Clusters"));
  await click("shop", link("shop"));
  await click("Delete", button("Delete"));
  await type("Its name, so that it is no slip", dialog().getByRole("textbox"), "shop");
  await click("Delete", dialog().getByRole("button", { name: "Delete" }));
  await sees("It is being deleted", page.getByText("Deleting"));
});
check(tasks.length === 10, `${tasks.length} tasks`);
for (const one of tasks) console.log(`  ${one.number}. ${one.sentence} ${one.clicks} clicks, ${one.keys} keys, ${one.steps.length} pictures`);
await please(`report ${JSON.stringify(tasks)}`);
await finish();
