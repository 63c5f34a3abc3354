/* SPDX-License-Identifier: Apache-2.0 */
/* The people, teams and keys of a project, and what they may do in it. */
import { ask, list } from "../api";
import { change } from "../confirmed";
import { useWorld } from "../frame";
import { say, whenAgo } from "../messages";
import { AskAct, Secret } from "../ui/ask";
import { Empty, Screen, Show, State, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";

interface Member {
  id: string;
  username: string;
  orgMembershipStatus: string;
  lastAuth?: string;
  roles: string[];
}

interface Key {
  id: string;
  publicKey: string;
  desc: string;
  roles: { groupId?: string; roleName: string }[];
}

interface Team {
  teamId: string;
  roleNames: string[];
}

/* The roles that can be given in a project, by their names; the one that can do least first. */
function useRoles(): [string, string][] {
  const { catalog } = useWorld();
  return Object.keys(catalog.implied).filter((role) => role.startsWith("GROUP_")).sort((a, b) => catalog.implied[a]!.length - catalog.implied[b]!.length || (a < b ? -1 : 1)).map((role) => [role, role]);
}

export function People(props: { project: string }) {
  const { project } = props;
  const { context } = useWorld();
  const base = `/groups/${project}`;
  const people = useLoaded(project + "/people", (signal) => list<Member>(`${base}/users`, { signal }));
  const keys = useLoaded(project + "/keys", (signal) => list<Key>(`${base}/apiKeys`, { signal }));
  const teams = useLoaded(project + "/teams", async (signal) => {
    const ofProject = await list<Team>(`${base}/teams`, { signal });
    const all = await list<{ id: string; name: string }>(`/orgs/${context.organization}/teams`, { signal }).catch(() => ({ results: [] }));
    return { rows: ofProject.results, names: new Map(all.results.map((one) => [one.id, one.name])) };
  });
  const role = { name: "role", label: say("access.may"), options: useRoles() };
  const again = (loaded: { state: string; again?: () => void }) => () => loaded.state === "there" && loaded.again?.();
  const remove = (operation: string, name: string, path: string, done: () => void) => (
    <AskAct operation={operation} in={{ project }} danger small label={say("explorer.remove")} of={name} title={say("people.remove", { name })} fields={[]} done={done}
      send={() => change(path, { method: "DELETE" }).then(() => undefined)} />
  );
  const addPerson = (
    <AskAct operation="addGroupUsers" in={{ project }} label={say("people.invite")} fields={[{ name: "username", label: say("people.mail"), type: "email", hint: say("people.mailHint") }, role]} done={again(people)}
      send={({ username, role }) => change(`${base}/users`, { method: "POST", body: { username, roles: [role] } }).then(() => undefined)} />
  );
  const addKey = (
    <AskAct operation="createGroupApiKey" in={{ project }} label={say("people.createKey")} fields={[{ name: "desc", label: say("people.keyFor") }, role]} done={again(keys)}
      send={async ({ desc, role }) => {
        const made = await change<{ publicKey: string; privateKey: string }>(`${base}/apiKeys`, { method: "POST", body: { desc, roles: [role] } });
        return <Secret text={`${made.publicKey}:${made.privateKey}`}>{say("people.once")}</Secret>;
      }} />
  );
  const named = teams.state === "there" ? [...teams.value.names] : [];
  const addTeam = named.length > 0 && (
    <AskAct operation="addGroupTeams" in={{ project }} label={say("people.addTeam")} fields={[{ name: "team", label: say("people.team"), options: named }, role]} done={again(teams)}
      send={({ team, role }) => ask(`${base}/teams`, { method: "POST", body: [{ teamId: team, roleNames: [role] }] }).then(() => undefined)} />
  );
  return (
    <Screen title={say("nav.people")}>
      <section>
        <header class="screen"><h2>{say("people.people")}</h2>{addPerson}</header>
        <Show of={people}>
          {(page) => page.results.length === 0 ? <Empty>{say("people.nobody")}</Empty> : (
            <Table label={say("people.people")} rows={page.results} keyOf={(one) => one.id} columns={[
              { title: say("people.name"), show: (one) => one.username },
              { title: say("clusters.state"), show: (one) => <State of={one.orgMembershipStatus} /> },
              { title: say("access.roles"), show: (one) => one.roles.join(", ") || say("people.fromOrganization") },
              { title: say("people.seen"), show: (one) => whenAgo(one.lastAuth) },
              { title: "", show: (one) => one.roles.length > 0 && remove("removeGroupUser", one.username, `${base}/users/${one.id}`, again(people)) },
            ]} />
          )}
        </Show>
      </section>
      <section>
        <header class="screen"><h2>{say("nav.teams")}</h2>{addTeam}</header>
        <Show of={teams}>
          {({ rows, names }) => rows.length === 0 ? <Empty>{say("people.noTeams")}</Empty> : (
            <Table label={say("nav.teams")} rows={rows} keyOf={(one) => one.teamId} columns={[
              { title: say("people.team"), show: (one) => names.get(one.teamId) ?? one.teamId },
              { title: say("access.roles"), show: (one) => one.roleNames.join(", ") },
              { title: "", show: (one) => remove("removeGroupTeam", names.get(one.teamId) ?? one.teamId, `${base}/teams/${one.teamId}`, again(teams)) },
            ]} />
          )}
        </Show>
      </section>
      <section>
        <header class="screen"><h2>{say("people.keys")}</h2>{addKey}</header>
        <Show of={keys}>
          {(page) => page.results.length === 0 ? <Empty>{say("people.noKeys")}</Empty> : (
            <Table label={say("people.keys")} rows={page.results} keyOf={(one) => one.id} columns={[
              { title: say("people.key"), show: (one) => <code>{one.publicKey}</code> },
              { title: say("people.keyFor"), show: (one) => one.desc },
              { title: say("access.roles"), show: (one) => one.roles.filter((role) => role.groupId === project).map((role) => role.roleName).join(", ") },
              { title: "", show: (one) => remove("removeGroupApiKey", one.publicKey, `${base}/apiKeys/${one.id}`, again(keys)) },
            ]} />
          )}
        </Show>
      </section>
      <Command of={{ cli: { words: ["users", "project", "list"] }, path: `${base}/users` }} />
    </Screen>
  );
}
