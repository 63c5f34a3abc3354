/* SPDX-License-Identifier: Apache-2.0 */
/* The console of people, at the address of the API: who they are, what they may do, where they can go. */
import { ask, list, Problem, send } from "./api";
import type { Context, Grants } from "./catalog";
import { type Message, say } from "./messages";
import { to } from "./route";
import { challenges, confirmWithPasskey, type Credentials, type Passkey, type WayToProvider } from "./session";
import type { Found, Group, Person, Site } from "./site";
import { askPassword } from "./ui/ask_password";
import { askProvider } from "./ui/ask_provider";
import { cliOf } from "./ui/command";

interface RoleRow {
  orgId?: string;
  groupId?: string;
  roleName: string;
}

interface Project {
  id: string;
  name: string;
  orgId: string;
}

function grantsOf(roles: RoleRow[], projects: Project[]): Grants {
  const grants: Grants = { organizations: {}, projects: {} };
  for (const project of projects) grants.projects[project.id] = { name: project.name, organization: project.orgId, roles: [] };
  for (const { orgId, groupId, roleName } of roles) {
    if (groupId) (grants.projects[groupId] ??= { name: groupId, organization: "", roles: [] }).roles.push(roleName);
    else if (orgId) (grants.organizations[orgId] ??= []).push(roleName);
  }
  return grants;
}

async function whoIsHere(): Promise<Person | undefined> {
  try {
    const [{ caller }, projects] = await Promise.all([
      ask<{ caller: { id: string; name: string; roles: RoleRow[] } }>("/"),
      ask<{ results: Project[] }>("/groups", { query: { itemsPerPage: 500 } }),
    ]);
    return { id: caller.id, username: caller.name, grants: grantsOf(caller.roles, projects.results) };
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 401) return undefined;
    throw problem;
  }
}

/* undefined: the session began with a provider, and does not see what its person has beside that. */
async function ownPasskeys(): Promise<Passkey[] | undefined> {
  try {
    return (await ask<Credentials>("/api/passkeys")).results;
  } catch (problem) {
    if (problem instanceof Problem && problem.code === "SESSION_OF_PROVIDER") return undefined;
    throw problem;
  }
}

/* As they signed in, and with a passkey if they have one. */
async function confirm(): Promise<void> {
  const [asked, results] = await Promise.all([challenges(), ownPasskeys()]);
  if (results === undefined) {
    const { authorizationUrl } = await ask<WayToProvider>("/api/sign-in/provider/confirm", { method: "POST", body: {} });
    if (!authorizationUrl || !(await askProvider(authorizationUrl))) throw new Error(say("confirm.provider"));
    return;
  }
  if (asked.rpId && results.length > 0) return confirmWithPasskey(asked);
  const password = await askPassword();
  if (password === undefined) throw new Error(say("confirm.title"));
  await send("/api/sign-in/confirm-password", { method: "POST", body: { password } });
}

const OF_PROJECT: [string, Message][] = [
  ["clusters", "nav.clusters"], ["now", "nav.now"], ["operations", "nav.operations"], ["activity", "nav.activity"], ["access", "nav.access"], ["people", "nav.people"], ["limits", "nav.limits"],
];
const OF_ORGANIZATION: [string, Message][] = [["teams", "nav.teams"], ["invoices", "nav.invoices"]];

function menu({ project, organization }: Context): Group[] {
  return [
    ...(project === undefined ? [] : [{ title: "nav.project", places: OF_PROJECT.map(([name, title]) => [to("project", project, name), title]) } as Group]),
    ...(organization === undefined ? [] : [{ title: "nav.organization", places: OF_ORGANIZATION.map(([name, title]) => [to("organization", organization, name), title]) } as Group]),
    { title: "nav.all", places: [[to(), "nav.projects"], [to("explorer"), "nav.explorer"]] },
  ];
}

async function things({ project }: Context): Promise<Found[]> {
  if (project === undefined) return [];
  const page = await list<{ name: string; stateName: string }>(`/groups/${project}/clusters`);
  return page.results.map((one) => ({ kind: "palette.cluster", title: one.name, detail: one.stateName, address: to("project", project, "clusters", one.name) }));
}

export const tenants: Site = {
  name: "app.name",
  live: "app.live",
  signInHelp: "signIn.help",
  prefix: "/api/svc/v2",
  account: "/api",
  token: "REEVE_TOKEN",
  providers: true,
  whoIsHere,
  confirm,
  menu,
  things,
  cli: (operation, { path, body }) => cliOf(operation.method, path, body),
};
