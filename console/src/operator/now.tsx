/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong now, worst first; each line leads to where one mends it. */
import { list, listAll } from "../api";
import { usePolled } from "../frame";
import { say, whenAgo, words } from "../messages";
import { to } from "../route";
import { Empty, Screen, Show, State } from "../ui/basics";
import { Command } from "../ui/command";
import { AGAIN_MS, type Cluster, type Host, isSilent, isThere, type Job, silence, type Update } from "./parts";

interface Backup {
  host: string;
  state: string;
  problem: string | null;
  drillProblem: string | null;
}

interface Instance {
  name: string;
  kind: string;
  isThere: boolean;
  seenAt: string;
}

interface Everything {
  hosts: Host[];
  clusters: Cluster[]; /* that are not well */
  sickCount: number;
  clusterCount: number;
  jobs: Job[];
  backups: Backup[];
  instances: Instance[];
  updates: Update[];
}

interface Wrong {
  rank: number; /* the worst is 0 */
  key: string;
  state: string;
  text: string;
  address: string;
  why?: string;
  since?: string;
}

const SICK: Record<string, number> = { NO_PRIMARY: 0, SILENT: 2, DEGRADED: 5 };
const MOST_CLUSTERS = 50, READ_CLUSTERS = 100; /* of each state */

async function readAll(signal: AbortSignal): Promise<Everything> {
  const [hosts, clusters, sick, jobs, backups, instances, updates] = await Promise.all([
    listAll<Host>("/hosts", { signal }),
    list<Cluster>("/clusters", { signal, query: { itemsPerPage: 1 } }),
    Promise.all(Object.keys(SICK).map((state) => list<Cluster>("/clusters", { signal, query: { state, itemsPerPage: READ_CLUSTERS } }))),
    listAll<Job>("/jobs", { signal }),
    listAll<Backup>("/ownBackups", { signal }),
    listAll<Instance>("/instances", { signal }),
    list<Update>("/updates", { signal, query: { itemsPerPage: 1 } }),
  ]);
  return {
    hosts: hosts.results.filter(isThere), clusters: sick.flatMap((page) => page.results), sickCount: sick.reduce((sum, page) => sum + page.totalCount, 0), clusterCount: clusters.totalCount,
    jobs: jobs.results, backups: backups.results, instances: instances.results, updates: updates.results,
  };
}

/* Clusters of which nothing is heard because the host of their primary is silent: the host is what has to be mended. */
const because = (host: Host, clusters: Cluster[]) => clusters.filter((one) => one.state === "SILENT" && one.primaryHost === host.name);

function ofHosts({ hosts, clusters, sickCount }: Everything): Wrong[] {
  const why = (count: number) => (count === 0 ? undefined : say("wrong.because", { count: clusters.length === sickCount ? count : `${count}+` }));
  const silent = hosts.filter(isSilent).map((one): Wrong => ({
    rank: one.members + one.seats > 0 ? 1 : 8, key: "host " + one.name, state: "SILENT", address: to("hosts", one.name),
    text: say(one.silentS === null ? "wrong.never" : "wrong.silent", { host: one.name, time: silence(one), members: one.members, seats: one.seats }), since: one.lastSeenAt ?? one.joinedAt, why: why(because(one, clusters).length),
  }));
  const strays = hosts.filter((one) => one.strays.length > 0).map((one): Wrong => ({ rank: 7, key: "stray " + one.name, state: "STRAY", address: to("hosts", one.name), text: say("wrong.strays", { host: one.name, units: one.strays.join(", ") }) }));
  return [...silent, ...strays];
}

function whyOf(one: Cluster): string {
  if (one.problem) return one.problem;
  return one.state === "DEGRADED" ? say("wrong.unwell", { count: one.unwell, members: one.members }) : say(one.state === "SILENT" ? "wrong.noWord" : "wrong.noPrimary");
}

const ofClusters = (clusters: Cluster[]) => clusters.map((one): Wrong => ({
  rank: SICK[one.state]!, key: one.id, state: one.state, address: to("clusters", one.id), text: say("wrong.cluster", { project: one.project, name: one.name }), why: whyOf(one),
}));

const ofJobs = (jobs: Job[]) => jobs.filter((one) => one.state === "FAILED" || one.overdueAt).map((one): Wrong => ({
  rank: one.state === "FAILED" ? 3 : 6, key: one.id, state: one.state === "FAILED" ? "FAILED" : "OVERDUE", address: to("jobs", one.id),
  text: say("wrong.job", { kind: words(one.kind), subject: one.subjectName }), why: one.failure ?? one.waitsFor ?? say("wrong.overdue"), since: one.finishedAt ?? one.overdueAt ?? one.createdAt,
}));

function ofControlPlane({ backups, instances, updates }: Everything): Wrong[] {
  return [
    ...backups.filter((one) => one.state !== "WORKING").map((one): Wrong => ({
      rank: one.state === "FAILING" ? 3 : 7, key: "backup " + one.host, state: one.state, address: to("hosts", one.host), text: say("wrong.ownBackup", { host: one.host }), why: one.problem ?? one.drillProblem ?? say("wrong.ownUnproven"),
    })),
    ...instances.filter((one) => !one.isThere).map((one): Wrong => ({
      rank: 7, key: one.kind + one.name, state: "GONE", address: to("explorer", "listInstances"), text: say("wrong.instance", { kind: one.kind, name: one.name }), since: one.seenAt,
    })),
    ...updates.filter((one) => one.state === "STOPPED").map((one): Wrong => ({ rank: 6, key: one.id, state: one.state, address: to("updates", one.id), text: say("wrong.update", { done: one.done, total: one.total }), why: one.problem })),
  ];
}

function Lines(props: { of: Everything }) {
  const { of: all } = props;
  const explained = new Set(all.hosts.filter(isSilent).flatMap((host) => because(host, all.clusters)));
  const clusters = ofClusters(all.clusters.filter((one) => !explained.has(one)));
  const more = all.sickCount - explained.size - Math.min(clusters.length, MOST_CLUSTERS);
  const wrong = [...ofHosts(all), ...clusters.slice(0, MOST_CLUSTERS), ...ofJobs(all.jobs), ...ofControlPlane(all)].sort((a, b) => a.rank - b.rank);
  if (wrong.length === 0) return <Empty>{say("wrong.nothing")}</Empty>;
  return (
    <>
      <ul class="now" aria-label={say("operator.now")}>
        {wrong.map((one) => (
          <li key={one.key}><State of={one.state} /><span><a href={one.address}>{one.text}</a>{one.why && <> <span class="quiet">{one.why}</span></>}</span>{one.since && <span class="quiet small">{whenAgo(one.since)}</span>}</li>
        ))}
      </ul>
      {more > 0 && <p><a href={to("clusters")}>{say("wrong.moreClusters", { count: more })}</a></p>}
    </>
  );
}

export function Now() {
  const all = usePolled("now", AGAIN_MS, readAll);
  return (
    <Screen title={say("operator.now")} of={all.state === "there" ? say("wrong.all", { hosts: all.value.hosts.length, clusters: all.value.clusterCount }) : undefined}>
      <p class="quiet">{say("wrong.text")}</p>
      <Show of={all}>{(known) => <Lines of={known} />}</Show>
      <Command of={{ cli: { words: ["fleet", "clusters", "list"], flags: { sort: "state" } }, path: "/clusters", query: { sort: "state" } }} />
    </Screen>
  );
}
