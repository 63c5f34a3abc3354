// SPDX-License-Identifier: Apache-2.0
// What a person does in the console, from the first passkey to a deleted cluster, with every screen looked at in both schemes and on a phone.
import { check, commands, finish, given, look as lookAt, newContext, newPage, please, settled as settledOn, step as stepOn, title as titleOn, wordsOf } from "./browser.mjs";
import { request } from "playwright-core";

const { base, token, project, organization } = given;
const context = await newContext();
const page = await newPage(context);
const title = (text) => titleOn(page, text), look = (name) => lookAt(page, name), settled = () => settledOn(page), step = (sentence, act) => stepOn(page, sentence, act);

// The authenticator of the browser, with a finger on it.
const devtools = await context.newCDPSession(page);
await devtools.send("WebAuthn.enable");
await devtools.send("WebAuthn.addVirtualAuthenticator", { options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });

await step("somebody who is not signed in is led to sign in", async () => {
  await page.goto(`${base}/console/project/${project}/clusters`);
  await title("Sign in").waitFor();
  check(page.url().includes("next=%2Fconsole%2Fproject"), `where they wanted to go is kept: ${page.url()}`);
});
await look("sign-in");
await step("a first passkey by a link", async () => {
  await page.goto(`${base}/console/enrol#${token}`);
  await title("How you will sign in").waitFor();
  await look("enrol");
  await page.getByRole("button", { name: "Make a passkey" }).click();
  await title("Projects").waitFor();
});
await look("projects");
await step("signing out and in again", async () => {
  await page.getByRole("button", { name: "Sign out" }).click();
  await title("Sign in").waitFor();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await title("Projects").waitFor();
});
await step("clusters: an empty state that leads on", async () => {
  await page.goto(`${base}/console/project/${project}/clusters`);
  await title("Clusters").waitFor();
  await page.getByText("No cluster yet.").waitFor();
});
await look("clusters-empty");
await step("creating a cluster by mouse, checked first", async () => {
  await page.getByRole("link", { name: "Create a cluster" }).first().click();
  await title("Create a cluster").waitFor();
  await page.getByLabel("Name").fill("orders");
  await page.getByRole("button", { name: "Check first" }).click();
  await page.getByText("The service would accept this.").waitFor();
  await look("create");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await title("orders").waitFor();
  await page.getByText("creating").first().waitFor();
});
await look("cluster");
await step("the operation: its steps, one by one", async () => {
  await page.getByRole("link", { name: /Working on it/ }).click();
  await title("Cluster create: orders").waitFor();
  check((await page.locator(".steps li").count()) >= 5, "its steps are there");
});
await look("operation");
await step("the form offers no size that is refused", async () => {
  await page.goto(`${base}/console/project/${project}/clusters/new`);
  await title("Create a cluster").waitFor();
  const sizes = await page.getByLabel("Size").locator("option").allTextContents();
  check(sizes.length > 0 && !sizes.includes("FLEX"), `sizes: ${sizes}`);
});
for (const [name, heading] of [["connect", "Connect to orders"], ["metrics", "orders: metrics"], ["restore", "orders: restore"], ["queries", "orders: slow queries"], ["logs", "orders: logs"]]) {
  await step(name, async () => {
    await page.goto(`${base}/console/project/${project}/clusters/orders/${name}`);
    await title(heading).waitFor();
    await settled();
  });
  await look(name);
}
await step("a cluster's name is one word in a line to copy, whatever it is", async () => {
  await page.goto(`${base}/console/project/${project}/clusters/${encodeURIComponent("x;id'")}/connect`);
  const words = await wordsOf(page, "reeve");
  check(JSON.stringify(words) === JSON.stringify(["connect", "x;id'"]), `it is ${JSON.stringify(words)}`);
});
for (const [name, heading] of [["now", "What is wrong now"], ["operations", "Operations"], ["activity", "What changed, and who did it"], ["access", "Database access"], ["people", "People and keys"], ["limits", "Limits"], ["teams", "Teams"], ["invoices", "Invoices"]]) {
  await step(name, async () => {
    await page.getByRole("navigation", { name: "Menu" }).getByRole("link", { name: name === "activity" ? "What changed" : heading, exact: true }).click();
    await title(heading).waitFor();
    await settled();
  });
  await look(name);
}
await step("a change made elsewhere is seen without loading again", async () => {
  await page.goto(`${base}/console/project/${project}/clusters`);
  await page.getByRole("link", { name: "orders" }).waitFor();
  await page.evaluate(async (project) => {
    const answer = await fetch(`/api/svc/v2/groups/${project}/clusters`, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "elsewhere", clusterType: "REPLICASET", replicationSpecs: [{ regionConfigs: [{ providerName: "ONPREM", regionName: "EU_NORTH", priority: 7, electableSpecs: { instanceSize: "M10", nodeCount: 3 } }] }] }),
    });
    if (answer.status !== 201) throw new Error(await answer.text());
  }, project);
  await page.getByRole("link", { name: "elsewhere" }).waitFor();
});
await step("the palette, by keyboard alone", async () => {
  await page.keyboard.press("/");
  await page.getByRole("combobox", { name: "Search and commands" }).waitFor();
  await look("palette");
  await page.keyboard.type("create one project");
  await page.keyboard.press("Enter");
  await page.waitForURL(/explorer/);
});
await step("what an event changed", async () => {
  await page.goto(`${base}/console/project/${project}/activity`);
  await page.getByRole("button", { name: "Cluster created" }).first().click();
  await page.getByRole("dialog").getByText("Request").waitFor();
});
await look("event");
await step("a user of the databases, by a dialog", async () => {
  await page.goto(`${base}/console/project/${project}/access`);
  await page.getByRole("button", { name: "Add a user" }).click();
  await page.getByRole("dialog").getByLabel("User").fill("app");
  await page.getByRole("dialog").getByLabel("Password").fill("correct horse battery staple");
  await look("add-user");
  await page.getByRole("dialog").getByRole("button", { name: "Add a user" }).click();
  await page.getByRole("cell", { name: "app", exact: true }).waitFor();
});
await step("the explorer sends an operation", async () => {
  await page.goto(`${base}/console/explorer/listGroupClusters`);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText('"totalCount"').waitFor();
});
await look("explorer");
await step("a program is let in with the passkey", async () => {
  const program = await request.newContext({ ignoreHTTPSErrors: true });
  const asked = await (await program.post(`${base}/api/sign-in/device`, { form: { client_id: "reeve", host: "laptop" } })).json();
  const poll = async () => (await program.post(`${base}/api/sign-in/device/token`, { form: { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code: asked.device_code } })).json();
  await page.goto(asked.verification_uri_complete);
  await title("Let a program in").waitFor();
  check((await page.getByLabel("Code").inputValue()) === asked.user_code, "the code of the address is in the field");
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("Looking for the program").waitFor();
  check((await poll()).error === "authorization_pending", "a program that nobody has let in");
  await page.getByRole("heading", { name: "Did you start this?" }).waitFor();
  for (const text of ["laptop", "127.0.0.1", "ORG_OWNER", asked.user_code]) check(await page.getByText(text).first().isVisible(), `the page shows ${text}`);
  await look("device");
  await page.getByRole("button", { name: "Yes, let it in" }).click();
  await page.getByText("It is let in.").waitFor();
  await page.waitForTimeout(4_200);
  check((await poll()).access_token?.startsWith("reeve_cd_"), "the program gets its token");
  await page.goto(`${base}/console/account`);
  await page.getByText("laptop (program)").waitFor();
});
await step("sessions", async () => {
  await page.goto(`${base}/console/account`);
  await page.getByText("this one").waitFor();
});
await step("a password beside the passkey, and signing in with it", async () => {
  await page.getByLabel("New password").fill("a long enough secret");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.getByRole("button", { name: "Remove the password" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await title("Sign in").waitFor();
  await page.getByLabel("User name").fill("ada@example.org");
  await page.getByLabel("Password").fill("a wrong secret");
  await page.getByRole("button", { name: "Sign in with a password" }).click();
  await page.getByRole("alert").getByText("the user name or the password is wrong").waitFor();
  await page.getByLabel("Password").fill("a long enough secret");
  await page.getByRole("button", { name: "Sign in with a password" }).click();
  await title("Projects").waitFor();
  await page.goto(`${base}/console/account`);
  await page.getByRole("button", { name: "Remove the password" }).click();
  await page.getByText("You have none.").waitFor();
});
await look("account");
await step("deleting asks for the name", async () => {
  await page.goto(`${base}/console/project/${project}/clusters/elsewhere`);
  await page.getByRole("button", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete" });
  check(await confirm.isDisabled(), "it cannot be sent before the name is typed");
  await page.getByLabel("Type the cluster's name to confirm").fill("elsewhere");
  await look("delete");
  await confirm.click();
  await title("Clusters").waitFor();
});
await step("on a phone nothing is wider than the screen", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of ["", `/project/${project}/clusters`, `/project/${project}/clusters/orders`, `/project/${project}/clusters/orders/connect`, `/project/${project}/activity`, `/project/${project}/people`, "/explorer/createGroupCluster"]) {
    await page.goto(`${base}/console${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await settled();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    check(wide <= 390, `${path}: ${wide} pixels wide`);
    await look(`phone-${path.split("/").pop() || "home"}`);
  }
});
const unknown = await please(`commands ${JSON.stringify([...commands])}`);
check(commands.size >= 15 && unknown.length === 0, `of ${commands.size} command lines that screens show the program does not know: ${unknown.join("; ")}`);
await finish();
