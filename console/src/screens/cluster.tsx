/* SPDX-License-Identifier: Apache-2.0 */
/* One cluster: how it is, what is being done to it, who is in it; and its end. */
import { useState } from "preact/hooks";
import { ask, list } from "../api";
import { change } from "../confirmed";
import { Act, useEvents, useEvery } from "../frame";
import { day, say, whenAgo, words } from "../messages";
import { go, to } from "../route";
import { AskAct, ConfirmByName } from "../ui/ask";
import { Empty, Screen, Show, State, Tick, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Steps } from "../ui/steps";
import { Table } from "../ui/table";
import { type Cluster as Document, isRunning, memberCount, membersOf, type Operation, places, type Process, regionsOf, resized } from "./cluster_parts";
import { ClusterTabs } from "./cluster_tabs";
import { offersOf, type Regions } from "./offers";

interface Whole {
  cluster: Document;
  operations: Operation[];
  members: Process[];
  sizes: string[];
}

const AGAIN_MS = 1000;

async function readAll(project: string, name: string, signal: AbortSignal): Promise<Whole> {
  const [cluster, operations, processes, regions] = await Promise.all([
    ask<Document>(`/groups/${project}/clusters/${encodeURIComponent(name)}`, { signal }),
    list<Operation>(`/groups/${project}/operations`, { signal, query: { clusterName: name, itemsPerPage: 20 } }),
    list<Process>(`/groups/${project}/processes`, { signal }),
    ask<Regions>(`/groups/${project}/clusters/provider/regions`, { signal }),
  ]);
  const first = regionsOf(cluster)[0];
  return {
    cluster,
    operations: operations.results,
    members: membersOf(cluster, processes.results),
    sizes: offersOf(regions).find((one) => one.provider === first?.providerName && one.region === first?.regionName)?.sizes ?? [],
  };
}

function Delete(props: { project: string; cluster: Document; close: () => void }) {
  const { project, cluster } = props;
  const [keeps, setKeeps] = useState(false);
  const send = () => change(`/groups/${project}/clusters/${encodeURIComponent(cluster.name)}`, { method: "DELETE", query: { retainBackups: keeps || undefined } }).then(() => (props.close(), go(to("project", project, "clusters"))));
  return (
    <ConfirmByName title={say("cluster.deleteTitle", { name: cluster.name })} ask={say("cluster.deleteAsk")} name={cluster.name} confirm={say("dialog.confirm")} send={send} close={props.close}>
      <p>{say(cluster.backupEnabled ? "cluster.deleteTextBackups" : "cluster.deleteText")}</p>
      {cluster.backupEnabled && <Tick label={say("cluster.keepBackups")} hint={say("cluster.keepBackupsHint")} value={keeps} set={setKeeps} />}
    </ConfirmByName>
  );
}

/* Size and number of members: what people change. All else is one click further. */
function Change(props: { project: string; whole: Whole; done: () => void }) {
  const { project, whole: { cluster, sizes } } = props;
  const first = regionsOf(cluster)[0]?.electableSpecs;
  const path = `/groups/${project}/clusters/${encodeURIComponent(cluster.name)}`;
  const send = (size: string, nodes: number) => {
    const replicationSpecs = cluster.replicationSpecs.map((spec) => ({ ...spec, regionConfigs: spec.regionConfigs.map((region, i) => resized(region, size, first?.instanceSize, i === 0 ? nodes : undefined)) }));
    return change(path, { method: "PATCH", body: { replicationSpecs } }).then(() => undefined);
  };
  return (
    <AskAct operation="updateGroupCluster" in={{ project }} quiet label={say("cluster.resize")} title={say("cluster.resizeTitle", { name: cluster.name })} text={say("cluster.resizeText")} done={props.done}
      fields={[
        { name: "size", label: say("create.size"), options: sizes.map((one) => [one, one]), value: first?.instanceSize },
        { name: "nodes", label: say("create.nodes"), hint: say("create.nodesHint"), options: [1, 3, 5, 7].map((one) => [String(one), String(one)]), value: String(first?.nodeCount ?? 3) },
      ]}
      send={({ size, nodes }) => send(size!, Number(nodes))} />
  );
}

function Facts(props: { of: Document }) {
  const { of: cluster } = props;
  return (
    <p class="facts">
      <State of={cluster.paused ? "PAUSED" : cluster.stateName} /><span>PostgreSQL {cluster.dbVersion ?? cluster.dbMajorVersion}</span><span>{say(memberCount(cluster) === 1 ? "cluster.sizeOne" : "cluster.size", { count: memberCount(cluster), where: places(cluster) })}</span>
      <span title={cluster.createDate}>{say("cluster.created", { when: whenAgo(cluster.createDate) })}</span>
      <span>{say(cluster.backupEnabled ? "cluster.backedUp" : "cluster.notBackedUp")}</span>
      {cluster.terminationProtectionEnabled && <span>{say("cluster.protected")}</span>}
    </p>
  );
}

export function Cluster(props: { project: string; name: string }) {
  const { project, name } = props;
  const [deleting, setDeleting] = useState(false);
  const whole = useLoaded(`${project}/${name}`, (signal) => readAll(project, name, signal));
  const again = () => whole.state === "there" && whole.again();
  useEvents((event) => event.groupId === project && event.clusterName === name, again);
  useEvery(AGAIN_MS, whole.state === "there" && whole.value.operations.some(isRunning), () => whole.state === "there" && whole.poll());
  const actions = whole.state === "there" && (
    <>
      <Change project={project} whole={whole.value} done={again} />
      <Act operation="updateGroupCluster" in={{ project }} quiet go={`${to("explorer", "updateGroupCluster")}?groupId=${project}&clusterName=${encodeURIComponent(name)}`}>{say("cluster.settings")}</Act>
      <Act operation="deleteGroupCluster" in={{ project }} danger act={() => setDeleting(true)}>{say("cluster.delete")}</Act>
    </>
  );
  return (
    <Screen title={name} up={[say("clusters.title"), to("project", project, "clusters")]} actions={actions} tabs={<ClusterTabs project={project} name={name} here="" />}>
      <Show of={whole}>
        {({ cluster, operations, members }) => (
          <>
            <Facts of={cluster} />
            {operations.filter(isRunning).map((one) => (
              <section class="card" key={one.id}>
                <h2><a href={to("project", project, "operations", one.id)}>{say("cluster.working", { what: words(one.kind) })}</a> <State of={one.state} /></h2>
                <Steps of={one} />
              </section>
            ))}
            <section>
              <h2>{say("cluster.members")}</h2>
              {members.length === 0 ? <Empty>{say("cluster.noMembers")}</Empty> : (
                <Table label={say("cluster.members")} rows={members} keyOf={(one) => one.id} columns={[
                  { title: say("cluster.member"), show: (one) => `${one.userAlias ?? one.hostname}:${one.port}` },
                  { title: say("cluster.role"), show: (one) => <State of={one.typeName.replace("REPLICA_", "")} /> },
                  { title: say("clusters.version"), show: (one) => one.version },
                  { title: say("cluster.seen"), show: (one) => whenAgo(one.lastPing) },
                ]} />
              )}
            </section>
            {operations.some((one) => !isRunning(one)) && (
              <section>
                <h2>{say("cluster.history")}</h2>
                <Table label={say("cluster.history")} rows={operations.filter((one) => !isRunning(one)).slice(0, 5)} keyOf={(one) => one.id} columns={[
                  { title: say("activity.what"), show: (one) => <a href={to("project", project, "operations", one.id)}>{words(one.kind)}</a> },
                  { title: say("clusters.state"), show: (one) => <State of={one.state} /> },
                  { title: say("activity.when"), show: (one) => <time dateTime={one.createdAt} title={day(one.createdAt)}>{whenAgo(one.createdAt)}</time> },
                ]} />
              </section>
            )}
            {deleting && <Delete project={project} cluster={cluster} close={() => setDeleting(false)} />}
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["clusters", "get", name] }, path: `/groups/${project}/clusters/${encodeURIComponent(name)}` }} />
    </Screen>
  );
}
