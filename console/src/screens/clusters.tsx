/* SPDX-License-Identifier: Apache-2.0 */
/* The clusters of a project: those in trouble first. Of one that changed only that one is read again. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask, Problem } from "../api";
import { Act, useEvery, useRecovered, useWorld } from "../frame";
import { onEvent } from "../live";
import { say } from "../messages";
import { to } from "../route";
import { Empty, Screen, State, Trouble } from "../ui/basics";
import { Command } from "../ui/command";
import { usePages } from "../ui/pages";
import { Table } from "../ui/table";
import { type Cluster, memberCount, places } from "./cluster_parts";

const BUSY_AGAIN_MS = 3000;

/* What became of clusters since the list was read; null: it is gone. */
function useChanged(project: string): [Record<string, Cluster | null>, (name: string) => void] {
  const [changed, setChanged] = useState<Record<string, Cluster | null>>({});
  const read = (name: string) =>
    ask<Cluster>(`/groups/${project}/clusters/${encodeURIComponent(name)}`).then(
      (one) => setChanged((before) => ({ ...before, [name]: one })),
      (problem: unknown) => problem instanceof Problem && problem.status === 404 && setChanged((before) => ({ ...before, [name]: null })),
    );
  useEffect(() => onEvent((event) => void (event.groupId === project && event.clusterName && read(event.clusterName))), [project]);
  return [changed, read];
}

const isSettled = (one: Cluster) => one.stateName === "IDLE" || one.paused;

export function Clusters(props: { project: string }) {
  const { project } = props;
  const { person } = useWorld();
  const [text, setText] = useState("");
  const clusters = usePages<Cluster>(`/groups/${project}/clusters`, {}, { pageSize: 100, all: true });
  const [changed, read] = useChanged(project);
  useRecovered(clusters.again);
  const listed = clusters.rows;
  const all = useMemo(() => {
    const known = new Map((listed ?? []).map((one) => [one.name, one]));
    for (const [name, one] of Object.entries(changed)) if (one) known.set(name, one); else known.delete(name);
    return [...known.values()].sort((a, b) => Number(isSettled(a)) - Number(isSettled(b)) || (a.name < b.name ? -1 : 1));
  }, [listed, changed]);
  const busy = all.filter((one) => !isSettled(one)).slice(0, 5);
  useEvery(BUSY_AGAIN_MS, busy.length > 0, () => busy.forEach((one) => void read(one.name)));
  const wanted = text.toLowerCase();
  const rows = useMemo(() => all.filter((one) => `${one.name} ${one.stateName} ${places(one)}`.toLowerCase().includes(wanted)), [all, wanted]);
  const create = <Act operation="createGroupCluster" in={{ project }} go={to("project", project, "clusters", "new")}>{say("clusters.create")}</Act>;
  return (
    <Screen title={say("clusters.title")} of={person.grants.projects[project]?.name} actions={all.length > 0 && create}>
      {clusters.problem !== undefined && <Trouble problem={clusters.problem} again={clusters.again} />}
      {!listed ? <p class="quiet" role="status">{say("state.loading")}</p> : (
        all.length === 0 ? <Empty next={create}>{say("clusters.empty")}</Empty> : (
          <>
            {all.length > 5 && (
              <div class="filters">
                <input type="search" aria-label={say("clusters.filter")} placeholder={say("clusters.filter")} value={text} onInput={(event) => setText(event.currentTarget.value)} />
                <span class="quiet small" role="status">{say("clusters.count", { shown: rows.length, total: Math.max(all.length, clusters.total) })}</span>
              </div>
            )}
            {rows.length === 0 ? <Empty>{say("clusters.noMatch")}</Empty> : (
              <Table label={say("clusters.title")} rows={rows} keyOf={(one) => one.id} columns={[
                { title: say("clusters.name"), show: (one) => <a href={to("project", project, "clusters", one.name)}>{one.name}</a> },
                { title: say("clusters.state"), show: (one) => <State of={one.paused ? "PAUSED" : one.stateName} /> },
                { title: say("clusters.version"), show: (one) => one.dbVersion ?? one.dbMajorVersion },
                { title: say("clusters.members"), show: (one) => memberCount(one) },
                { title: say("clusters.where"), show: places },
              ]} />
            )}
          </>
        )
      )}
      <Command of={{ cli: { words: ["clusters", "list"] }, path: `/groups/${project}/clusters` }} />
    </Screen>
  );
}
