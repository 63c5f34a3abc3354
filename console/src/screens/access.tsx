/* SPDX-License-Identifier: Apache-2.0 */
/* Who may log in to the clusters of a project, and from where. The two questions are also asked where somebody connects. */
import { ask, list } from "../api";
import { change } from "../confirmed";
import { say } from "../messages";
import { AskAct } from "../ui/ask";
import { Empty, Screen, Show, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";

export interface User {
  username: string;
  databaseName: string;
  roles: { roleName: string; databaseName: string }[];
}

export interface Entry {
  cidrBlock: string;
  comment?: string;
}

/* What most users of a database are for, and the same for all databases; everything else is in the explorer. */
const ROLES: [role: string, ofAll: string, label: string][] = [["readWrite", "readWriteAnyDatabase", say("access.readWrite")], ["read", "readAnyDatabase", say("access.read")], ["dbAdmin", "atlasAdmin", say("access.admin")]];
/* The database that a new cluster has anyway is nobody's to create something in. */
const FIRST_DATABASE = "app";

export function AddUser(props: { project: string; done: () => void }) {
  const path = `/groups/${props.project}/databaseUsers`;
  return (
    <AskAct operation="createGroupDatabaseUser" in={props} label={say("access.addUser")} done={props.done}
      fields={[
        { name: "username", label: say("access.user") },
        { name: "password", label: say("access.password"), type: "password", hint: say("access.passwordHint") },
        { name: "database", label: say("access.database"), hint: say("access.databaseHint"), value: FIRST_DATABASE, optional: true },
        { name: "role", label: say("access.may"), options: ROLES.map(([role, , label]) => [role, label]) },
      ]}
      send={({ username, password, database, role }) => {
        const ofAll = ROLES.find((one) => one[0] === role)![1];
        const roles = [database ? { roleName: role, databaseName: database } : { roleName: ofAll, databaseName: "admin" }];
        return change(path, { method: "POST", body: { username, password, databaseName: "admin", roles } }).then(() => undefined);
      }} />
  );
}

export function AddEntry(props: { project: string; done: () => void }) {
  const path = `/groups/${props.project}/accessList`;
  return (
    <AskAct operation="createGroupAccessListEntry" in={props} label={say("access.addEntry")} done={props.done}
      fields={[{ name: "cidrBlock", label: say("access.block"), hint: say("access.blockHint") }, { name: "comment", label: say("access.comment"), optional: true }]}
      send={({ cidrBlock, comment }) => {
        const block = cidrBlock!.includes("/") ? { cidrBlock } : { ipAddress: cidrBlock };
        return ask(path, { method: "POST", body: [{ ...block, ...(comment ? { comment } : {}) }] }).then(() => undefined);
      }} />
  );
}

export function Access(props: { project: string }) {
  const { project } = props;
  const all = useLoaded(project, async (signal) => {
    const [users, entries] = await Promise.all([list<User>(`/groups/${project}/databaseUsers`, { signal }), list<Entry>(`/groups/${project}/accessList`, { signal })]);
    return { users: users.results, entries: entries.results };
  });
  const again = () => all.state === "there" && all.again();
  const remove = (operation: string, name: string, path: string) => (
    <AskAct operation={operation} in={{ project }} danger small label={say("explorer.remove")} of={name} title={say("access.remove", { name })} text={say("access.removeText")} fields={[]} done={again}
      send={() => change(path, { method: "DELETE" }).then(() => undefined)} />
  );
  return (
    <Screen title={say("nav.access")}>
      <Show of={all}>
        {({ users, entries }) => (
          <>
            <section>
              <header class="screen"><h2>{say("access.users")}</h2><AddUser project={project} done={again} /></header>
              {users.length === 0 ? <Empty>{say("access.noUsers")}</Empty> : (
                <Table label={say("access.users")} rows={users} keyOf={(one) => one.databaseName + "/" + one.username} columns={[
                  { title: say("access.user"), show: (one) => one.username },
                  { title: say("access.roles"), show: (one) => one.roles.map((role) => `${role.roleName}@${role.databaseName}`).join(", ") },
                  { title: "", show: (one) => remove("deleteGroupDatabaseUser", one.username, `/groups/${project}/databaseUsers/${one.databaseName}/${encodeURIComponent(one.username)}`) },
                ]} />
              )}
            </section>
            <section>
              <header class="screen"><h2>{say("access.list")}</h2><AddEntry project={project} done={again} /></header>
              {entries.length === 0 ? <Empty>{say("access.noEntries")}</Empty> : (
                <Table label={say("access.list")} rows={entries} keyOf={(one) => one.cidrBlock} columns={[
                  { title: say("access.block"), show: (one) => <code>{one.cidrBlock}</code> },
                  { title: say("access.comment"), show: (one) => one.comment ?? "" },
                  { title: "", show: (one) => remove("deleteGroupAccessListEntry", one.cidrBlock, `/groups/${project}/accessList/${encodeURIComponent(one.cidrBlock)}`) },
                ]} />
              )}
            </section>
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["database-users", "list"] }, path: `/groups/${project}/databaseUsers` }} />
    </Screen>
  );
}
