/* SPDX-License-Identifier: Apache-2.0 */
/* Restoring: a timeline of everything that can be had back, on which one picks a second. */
import { useState } from "preact/hooks";
import { ask, list, listAll } from "../api";
import { change } from "../confirmed";
import { Act, useEvery } from "../frame";
import { moment, say, whenAgo } from "../messages";
import { go, to } from "../route";
import { Empty, Line, Screen, Show, Trouble, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import type { Cluster } from "./cluster_parts";
import { ClusterTabs } from "./cluster_tabs";

interface Window {
  from?: string;
  to?: string;
  lastProven?: { at: string };
}

interface Snapshot {
  id: string;
  createdAt: string;
  status: string;
}

function Timeline(props: { from: number; to: number; at: number; snapshots: Snapshot[]; pick: (at: number) => void }) {
  const { from, to: end, at } = props;
  const part = (moment: number) => `${((moment - from) / Math.max(1, end - from)) * 100}%`;
  return (
    <div class="timeline">
      <input type="range" aria-label={say("restore.moment")} aria-valuetext={new Date(at * 1000).toISOString()} min={from} max={end} step={1} value={at} onInput={(event) => props.pick(Number(event.currentTarget.value))} />
      <div class="marks" aria-hidden="true">
        {props.snapshots.map((one) => <span key={one.id} class="mark" title={one.createdAt} style={{ left: part(Date.parse(one.createdAt) / 1000) }} />)}
      </div>
    </div>
  );
}

const AGAIN_MS = 2000;

/* A cluster like the one that is restored from, as soon as it can be used. */
async function makeLike(project: string, like: Cluster, name: string): Promise<void> {
  const replicationSpecs = like.replicationSpecs.map((spec) => ({
    regionConfigs: spec.regionConfigs.map(({ providerName, regionName, priority, electableSpecs, readOnlySpecs, analyticsSpecs }) => ({ providerName, regionName, priority, electableSpecs, readOnlySpecs, analyticsSpecs })),
  }));
  await ask(`/groups/${project}/clusters`, { method: "POST", body: { name, clusterType: "REPLICASET", dbMajorVersion: like.dbMajorVersion, replicationSpecs } });
  while ((await ask<Cluster>(`/groups/${project}/clusters/${encodeURIComponent(name)}`)).stateName !== "IDLE") await new Promise((wake) => setTimeout(wake, AGAIN_MS));
}

function Form(props: { project: string; cluster: Cluster; others: string[]; window: Window; snapshots: Snapshot[] }) {
  const { project, cluster, others, snapshots } = props;
  const [window, setWindow] = useState(props.window);
  const from = Math.ceil(Date.parse(window.from!) / 1000), end = Math.floor(Date.parse(window.to!) / 1000);
  const [at, setAt] = useState(end);
  const [over, setOver] = useState(""); /* the cluster whose data is replaced; none: a new one is made */
  const [fresh, setFresh] = useState(`${cluster.name}-restored`);
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const target = over || fresh;
  const body = { deliveryType: "pointInTime", pointInTimeUTCSeconds: at, targetClusterName: target, targetGroupId: project };
  const backup = `/groups/${project}/clusters/${encodeURIComponent(cluster.name)}/backup`, path = backup + "/restoreJobs";
  /* It moves on while somebody chooses; what they chose stays. */
  useEvery(AGAIN_MS, !busy, () => void ask<Window>(backup + "/window").then((moved) => moved.from && moved.to && setWindow(moved), () => undefined));
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      if (!over) await makeLike(project, cluster, fresh);
      await change(path, { method: "POST", body });
      go(to("project", project, "clusters", target));
    } catch (failure) {
      setProblem(failure);
      setBusy(false);
    }
  };
  const pick = (text: string) => {
    const picked = Math.floor(Date.parse(text + (text.length === 16 ? ":00Z" : "Z")) / 1000);
    if (picked >= from && picked <= end) setAt(picked);
  };
  return (
    <form onSubmit={send}>
      <p>{say("restore.span", { from: moment(from), to: moment(end) })}</p>
      {window.lastProven && <p class="fine">{say("restore.proven", { when: whenAgo(window.lastProven.at) })}</p>}
      <Timeline from={from} to={end} at={at} snapshots={snapshots} pick={setAt} />
      <Line label={say("restore.moment")} hint={say("restore.hint")}>
        {(ids) => <input {...ids} type="datetime-local" step={1} value={new Date(at * 1000).toISOString().slice(0, 19)} onChange={(event) => pick(event.currentTarget.value)} />}
      </Line>
      <Line label={say("restore.into")} hint={say(over ? "restore.overHint" : "restore.newHint")}>
        {(ids) => (
          <select {...ids} value={over} onChange={(event) => (setOver(event.currentTarget.value), setTyped(""))}>
            <option value="">{say("restore.new")}</option>
            {others.map((one) => <option key={one} value={one}>{say("restore.over", { name: one })}</option>)}
          </select>
        )}
      </Line>
      {over
        ? <Line label={say("restore.confirm", { name: over })}>{(ids) => <input {...ids} required autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />}</Line>
        : <Line label={say("restore.target")}>{(ids) => <input {...ids} required autocomplete="off" value={fresh} onInput={(event) => setFresh(event.currentTarget.value)} />}</Line>}
      <div class="actions"><Act operation="createGroupClusterBackupRestoreJob" in={{ project }} submit danger={over !== ""} off={busy || (over !== "" && typed !== over)}>{say("restore.send")}</Act></div>
      {busy && <p class="fine" role="status">{say(over ? "restore.busyOver" : "restore.busyNew", { name: target })}</p>}
      {problem !== undefined && <Trouble problem={problem} />}
      <Command of={{ cli: { words: ["backups", "restore-jobs", "create", cluster.name], flags: { deliveryType: "pointInTime", "point-in-time-utc-seconds": at, targetClusterName: target } }, method: "POST", path, body }} />
    </form>
  );
}

export function Restore(props: { project: string; name: string }) {
  const { project, name } = props;
  const all = useLoaded(`${project}/${name}`, async (signal) => {
    const base = `/groups/${project}/clusters/${encodeURIComponent(name)}/backup`;
    const [window, snapshots, clusters] = await Promise.all([ask<Window>(base + "/window", { signal }), list<Snapshot>(base + "/snapshots", { signal }), listAll<Cluster>(`/groups/${project}/clusters`, { signal })]);
    return { window, snapshots: snapshots.results, cluster: clusters.results.find((one) => one.name === name), others: clusters.results.map((one) => one.name) };
  });
  const isWaiting = all.state === "there" && !all.value.window.to && all.value.cluster?.backupEnabled;
  useEvery(AGAIN_MS, !!isWaiting, () => all.state === "there" && all.poll());
  const turnOn = <Act operation="updateGroupCluster" in={{ project }} go={`${to("explorer", "updateGroupCluster")}?groupId=${project}&clusterName=${encodeURIComponent(name)}`}>{say("restore.turnOn")}</Act>;
  return (
    <Screen title={say("restore.title", { name })} up={[say("clusters.title"), to("project", project, "clusters")]} tabs={<ClusterTabs project={project} name={name} here="restore" />}>
      <Show of={all}>
        {({ window, snapshots, cluster, others }) => window.from && window.to && cluster ? <Form project={project} cluster={cluster} others={others} window={window} snapshots={snapshots} /> : <Empty next={!isWaiting && turnOn}>{say(isWaiting ? "restore.soon" : "restore.none")}</Empty>}
      </Show>
    </Screen>
  );
}
