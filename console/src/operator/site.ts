/* SPDX-License-Identifier: Apache-2.0 */
/* The console of operators, at the operators' address: who they are, and where they can go. Whoever is an operator may do everything that is there. */
import { ask, listAll, Problem } from "../api";
import { to } from "../route";
import { challenges, confirmWithPasskey } from "../session";
import type { Filled, Found, Person, Site } from "../site";
import type { Line } from "../ui/command";

async function whoIsHere(): Promise<Person | undefined> {
  try {
    const { operator } = await ask<{ operator: string }>("");
    return { id: operator, username: operator, grants: { organizations: {}, projects: {} } };
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 401) return undefined;
    throw problem;
  }
}

interface Named {
  id: string;
  name: string;
  state: string;
  project: string;
  region: string;
}

async function things(): Promise<Found[]> {
  const [clusters, hosts] = await Promise.all([listAll<Named>("/clusters"), listAll<Named>("/hosts")]);
  return [
    ...clusters.results.map((one): Found => ({ kind: "palette.cluster", title: one.name, detail: `${one.project} ${one.state}`, address: to("clusters", one.id) })),
    ...hosts.results.map((one): Found => ({ kind: "operator.host", title: one.name, detail: `${one.region} ${one.state}`, address: to("hosts", one.name) })),
  ];
}

/* A body goes along value by value: --set takes whatever a flag does. */
function cliOf(command: string, { places, query, body = {} }: Filled): Line {
  const set = Object.entries(body as Record<string, unknown>).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return { words: ["fleet", ...command.split(" "), ...places], flags: { ...query, set } };
}

export const operators: Site = {
  name: "operator.name",
  live: "operator.live",
  signInHelp: "operator.signInHelp",
  prefix: "/operator/v1",
  account: "/operator/v1",
  token: "REEVE_OPERATOR_TOKEN",
  providers: false,
  whoIsHere,
  confirm: async () => confirmWithPasskey(await challenges()),
  menu: () => [
    { title: "operator.watch", places: [[to(), "operator.now"], [to("clusters"), "operator.fleet"], [to("hosts"), "operator.hosts"], [to("jobs"), "operator.jobs"], [to("history"), "operator.history"]] },
    { title: "operator.act", places: [[to("updates"), "operator.updates"], [to("organizations"), "operator.organizations"], [to("explorer"), "nav.explorer"]] },
  ],
  things,
  cli: (operation, filled) => cliOf(operation.command ?? "", filled),
};
