/* SPDX-License-Identifier: Apache-2.0 */
/* Few metrics, large, with what happened drawn over them. The library that draws is read when somebody looks. */
import { lazy, Suspense } from "preact/compat";
import { useState } from "preact/hooks";
import { ask, list } from "../api";
import { useEvery } from "../frame";
import { type Message, say } from "../messages";
import { to } from "../route";
import { Empty, Screen, Show, useLoaded } from "../ui/basics";
import type { Line, Mark } from "../ui/chart";
import { Command } from "../ui/command";
import { ClusterTabs } from "./cluster_tabs";

const Chart = lazy(() => import("../ui/chart"));

const CHARTS: { title: Message; metrics: string[]; unit?: number }[] = [
  { title: "metrics.transactions", metrics: ["TRANSACTIONS_COMMITTED", "TRANSACTIONS_ROLLED_BACK"] },
  { title: "metrics.connections", metrics: ["CONNECTIONS"] },
  { title: "metrics.processor", metrics: ["PROCESS_CPU_USER", "SYSTEM_CPU_USER"] },
  { title: "metrics.disk", metrics: ["DISK_PARTITION_SPACE_USED", "DISK_PARTITION_SPACE_FREE"], unit: 1e9 },
];
const DISK = "/disks/data"; /* what is measured of it is not of the process */
const PERIODS = { PT1H: "PT1M", PT24H: "PT5M", P7D: "PT1H" } as const;
const AGAIN_MS = 10_000;
type Period = keyof typeof PERIODS;

interface Measurements {
  measurements: { name: string; units: string; dataPoints: Line["points"] }[];
}

export function Metrics(props: { project: string; name: string }) {
  const { project, name } = props;
  const [period, setPeriod] = useState<Period>("PT1H");
  const all = useLoaded(`${project}/${name}/${period}`, async (signal) => {
    const cluster = await ask<{ connectionStrings?: { standard?: string } }>(`/groups/${project}/clusters/${encodeURIComponent(name)}`, { signal });
    const [processes, events] = await Promise.all([
      list<{ id: string; hostname: string; typeName: string }>(`/groups/${project}/processes`, { signal }),
      list<{ created: string; eventTypeName: string; clusterName?: string }>(`/groups/${project}/events`, { signal }),
    ]);
    const members = processes.results.filter((one) => cluster.connectionStrings?.standard?.includes(one.hostname));
    const primary = members.find((one) => /PRIMARY/.test(one.typeName)) ?? members[0];
    if (!primary) return undefined;
    const of = `/groups/${project}/processes/${encodeURIComponent(primary.id)}`, query = { granularity: PERIODS[period], period };
    const read = await Promise.all([of, of + DISK].map((one) => ask<Measurements>(one + "/measurements", { signal, query })));
    const marks = events.results.filter((one) => one.clusterName === name).map((one): Mark => ({ at: one.created, label: one.eventTypeName }));
    return { measurements: read.flatMap((one) => one.measurements), marks };
  });
  useEvery(AGAIN_MS, all.state === "there", () => all.state === "there" && all.poll());
  const periods = (
    <select aria-label={say("metrics.period")} value={period} onChange={(event) => setPeriod(event.currentTarget.value as Period)}>
      {(Object.keys(PERIODS) as Period[]).map((one) => <option key={one} value={one}>{say(`metrics.${one}`)}</option>)}
    </select>
  );
  return (
    <Screen title={say("metrics.title", { name })} actions={periods} up={[say("clusters.title"), to("project", project, "clusters")]} tabs={<ClusterTabs project={project} name={name} here="metrics" />}>
      <Show of={all}>
        {(known) => !known ? <Empty>{say("metrics.none")}</Empty> : (
          <Suspense fallback={<p class="quiet">{say("state.loading")}</p>}>
            {CHARTS.map(({ title, metrics, unit = 1 }) => {
              const lines = known.measurements.filter((one) => metrics.includes(one.name)).map((one) => ({ label: one.name.toLowerCase().replace(/_/g, " "), points: one.dataPoints.map((point) => ({ ...point, value: point.value === null ? null : point.value / unit })) }));
              return lines.length > 0 && <Chart key={title} title={say(title)} lines={lines} marks={known.marks} />;
            })}
          </Suspense>
        )}
      </Show>
      <Command of={{ cli: { words: ["top", name] }, path: `/groups/${project}/processes` }} />
    </Screen>
  );
}
