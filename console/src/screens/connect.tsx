/* SPDX-License-Identifier: Apache-2.0 */
/* Who connects, from where, and the string for their program: one flow. */
import { useState } from "preact/hooks";
import { ask, list } from "../api";
import { Act, useEvery } from "../frame";
import { say } from "../messages";
import { to } from "../route";
import { Copy, Empty, Line, Screen, Show, Trouble, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { AddEntry, AddUser, type Entry, type User } from "./access";
import type { Cluster } from "./cluster_parts";
import { ClusterTabs } from "./cluster_tabs";

/* The address that this browser is seen with. */
async function ownAddress(signal: AbortSignal): Promise<string | undefined> {
  const found = await ask<{ currentSessionId: string; results: { sessionId: string; address: string }[] }>("/api/sessions", { signal }).catch(() => undefined);
  return found?.results.find((one) => one.sessionId === found.currentSessionId)?.address;
}

/* The API leaves places for what it does not know. Users come with a database, whose name is in their roles. */
function stringFor(user: User | undefined, text: string): string {
  if (!user) return text;
  const database = user.roles.find((one) => one.databaseName !== "admin")?.databaseName ?? "postgres";
  const isUrl = text.includes("://"), quoted = (word: string) => (isUrl ? encodeURIComponent(word) : `"${word.replace(/"/g, '""')}"`);
  return text.replace("<DB_USER>", () => quoted(user.username)).replace(/(\/|Database=)postgres([?;])/, (_, before: string, after: string) => before + quoted(database) + after);
}

const AGAIN_MS = 2000;

export function Connect(props: { project: string; name: string }) {
  const { project, name } = props;
  const [as, setAs] = useState(""), [refusal, setRefusal] = useState<unknown>();
  const all = useLoaded(`${project}/${name}`, async (signal) => {
    const [cluster, users, entries, address] = await Promise.all([
      ask<Cluster>(`/groups/${project}/clusters/${encodeURIComponent(name)}`, { signal }),
      list<User>(`/groups/${project}/databaseUsers`, { signal }),
      list<Entry>(`/groups/${project}/accessList`, { signal }),
      ownAddress(signal),
    ]);
    return { cluster, users: users.results, entries: entries.results, address };
  });
  const again = () => all.state === "there" && all.again();
  useEvery(AGAIN_MS, all.state === "there" && !all.value.cluster.connectionStrings?.standard, () => all.state === "there" && all.poll());
  const letIn = (address: string) => ask(`/groups/${project}/accessList`, { method: "POST", body: [{ ipAddress: address, comment: say("connect.comment") }] }).then(() => (setRefusal(undefined), again()), setRefusal);
  return (
    <Screen title={say("connect.title", { name })} up={[say("clusters.title"), to("project", project, "clusters")]} tabs={<ClusterTabs project={project} name={name} here="connect" />}>
      <Show of={all}>
        {({ cluster, users, entries, address }) => {
          const standard = cluster.connectionStrings?.standard, user = users.find((one) => one.username === as) ?? users[0];
          const strings = Object.entries({ ...(standard ? { psql: standard } : {}), ...cluster.connectionStrings?.drivers })
            .flatMap(([driver, texts]) => [texts].flat().map((text) => ({ driver, text: stringFor(user, text) })));
          const isIn = entries.some((one) => one.cidrBlock === `${address}/32` || one.cidrBlock === `${address}/128` || one.cidrBlock === "0.0.0.0/0");
          return (
            <ol class="flow">
              <li class={users.length > 0 ? "done" : undefined}>
                <h2>{say("connect.one")}</h2>
                <p class="quiet">{users.length > 0 ? users.map((one) => one.username).join(", ") : say("access.noUsers")}</p>
                <AddUser project={project} done={again} />
              </li>
              <li class={entries.length > 0 ? "done" : undefined}>
                <h2>{say("connect.two")}</h2>
                <p class="quiet">{entries.length > 0 ? entries.map((one) => one.cidrBlock).join(", ") : say("access.noEntries")}</p>
                <div class="actions">
                  {address && !isIn && <Act operation="createGroupAccessListEntry" in={{ project }} act={() => void letIn(address)}>{say("connect.yourAddress", { address })}</Act>}
                  <AddEntry project={project} done={again} />
                </div>
                {refusal !== undefined && <Trouble problem={refusal} />}
              </li>
              <li class={standard ? "done" : undefined}>
                <h2>{say("connect.three")}</h2>
                {standard ? <p class="quiet">{say("connect.fill")}</p> : <Empty>{say("connect.none")}</Empty>}
                {standard && users.length > 1 && (
                  <Line label={say("connect.as")}>
                    {(ids) => <select {...ids} value={user?.username} onChange={(event) => setAs(event.currentTarget.value)}>{users.map((one) => <option key={one.username}>{one.username}</option>)}</select>}
                  </Line>
                )}
                {strings.map(({ driver, text }) => (
                  <div class="copied" key={driver + text}><span class="kind">{driver}</span><code>{text}</code><Copy text={text} /></div>
                ))}
              </li>
            </ol>
          );
        }}
      </Show>
      <Command of={{ cli: { words: ["connect", name] }, path: `/groups/${project}/clusters/${encodeURIComponent(name)}` }} />
    </Screen>
  );
}
