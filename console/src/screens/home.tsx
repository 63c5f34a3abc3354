/* SPDX-License-Identifier: Apache-2.0 */
/* The projects that somebody sees. */
import { ask, list } from "../api";
import { useWorld } from "../frame";
import { say, whenAgo } from "../messages";
import { to } from "../route";
import { AskAct } from "../ui/ask";
import { Empty, Screen, Show, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";

interface Project {
  id: string;
  name: string;
  orgId: string;
  clusterCount: number;
  created: string;
}

export function Home() {
  const { person } = useWorld();
  const organizations = Object.keys(person.grants.organizations);
  const projects = useLoaded("projects", (signal) => list<Project>("/groups", { signal }));
  /* The page is read again, since what somebody may do in the new project is not known yet. */
  const create = (
    <AskAct operation="createProject" in={{}} label={say("home.create")}
      fields={[{ name: "name", label: say("clusters.name") }, ...(organizations.length > 1 ? [{ name: "orgId", label: say("home.organization"), options: organizations.map((one): [string, string] => [one, one]) }] : [])]}
      send={({ name, orgId }) => ask<Project>("/groups", { method: "POST", body: { name, orgId: orgId ?? organizations[0] } }).then((made) => location.assign(to("project", made.id, "clusters")))} />
  );
  return (
    <Screen title={say("home.title")} actions={create}>
      <Show of={projects}>
        {(page) => page.results.length === 0 ? <Empty>{say("home.empty")}</Empty> : (
          <Table label={say("home.title")} rows={page.results} keyOf={(one) => one.id} columns={[
            { title: say("nav.project"), show: (one) => <a href={to("project", one.id, "clusters")}>{one.name}</a> },
            { title: say("home.clusters"), show: (one) => one.clusterCount },
            { title: say("home.created"), show: (one) => whenAgo(one.created) },
          ]} />
        )}
      </Show>
      <Command of={{ cli: { words: ["projects", "list"] }, path: "/groups" }} />
    </Screen>
  );
}
