/* SPDX-License-Identifier: Apache-2.0 */
/* The teams of an organization: who is in them, and making new ones. */
import { ask, list } from "../api";
import { change } from "../confirmed";
import { useMissing } from "../frame";
import { say } from "../messages";
import { AskAct } from "../ui/ask";
import { Empty, Screen, Show, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";
import { Needs } from "./needs";

interface Team {
  id: string;
  name: string;
  members: string[];
}

export function Teams(props: { organization: string }) {
  const place = { organization: props.organization };
  const path = `/orgs/${props.organization}/teams`;
  const missing = useMissing("listOrgTeams", place);
  const teams = useLoaded(path, async (signal) => {
    if (missing.length > 0) return undefined;
    const page = await list<{ id: string; name: string }>(path, { signal });
    return Promise.all(page.results.map(async (one): Promise<Team> => ({ ...one, members: (await list<{ username: string }>(`${path}/${one.id}/users`, { signal })).results.map((member) => member.username) })));
  });
  const again = () => teams.state === "there" && teams.again();
  const create = (
    <AskAct operation="createOrgTeam" in={place} label={say("teams.create")} done={again}
      fields={[{ name: "name", label: say("people.name") }, { name: "usernames", label: say("teams.members"), hint: say("teams.membersHint") }]}
      send={({ name, usernames }) => ask(path, { method: "POST", body: { name, usernames: usernames!.split(/[\s,]+/).filter(Boolean) } }).then(() => undefined)} />
  );
  const remove = (one: Team) => (
    <AskAct operation="deleteOrgTeam" in={place} danger small label={say("explorer.remove")} of={one.name} title={say("teams.remove", { name: one.name })} fields={[]} done={again}
      send={() => change(`${path}/${one.id}`, { method: "DELETE" }).then(() => undefined)} />
  );
  return (
    <Screen title={say("nav.teams")} actions={create}>
      <Show of={teams}>
        {(rows) => rows === undefined ? <Needs roles={missing} operation="listOrgTeams" /> : rows.length === 0 ? <Empty>{say("teams.empty")}</Empty> : (
          <Table label={say("nav.teams")} rows={rows} keyOf={(one) => one.id} columns={[
            { title: say("people.name"), show: (one) => one.name },
            { title: say("teams.members"), show: (one) => one.members.join(", ") },
            { title: "", show: remove },
          ]} />
        )}
      </Show>
      <Command of={{ cli: { words: ["teams", "org", "list"] }, path }} />
    </Screen>
  );
}
