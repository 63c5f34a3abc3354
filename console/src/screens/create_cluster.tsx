/* SPDX-License-Identifier: Apache-2.0 */
/* A new cluster: a place, a size and a name; checked by the service before anything is made. */
import { useState } from "preact/hooks";
import { ask } from "../api";
import { Act } from "../frame";
import { say } from "../messages";
import { go, to } from "../route";
import { Empty, Line, Screen, Show, Tick, Trouble, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { type Offer, offersOf, type Regions } from "./offers";

function Form(props: { project: string; offers: Offer[] }) {
  const { project, offers } = props;
  const [name, setName] = useState("");
  const [at, setAt] = useState(0);
  const [size, setSize] = useState(offers[0]?.sizes[0] ?? "");
  const [nodes, setNodes] = useState(3);
  const [backups, setBackups] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [checked, setChecked] = useState(false);
  const offer = offers[at];
  const body = {
    name,
    clusterType: "REPLICASET",
    backupEnabled: backups,
    replicationSpecs: [{ regionConfigs: [{ providerName: offer?.provider, regionName: offer?.region, priority: 7, electableSpecs: { instanceSize: size, nodeCount: nodes } }] }],
  };
  const send = async (dryRun: boolean) => {
    setProblem(undefined);
    setChecked(false);
    try {
      await ask(`/groups/${project}/clusters`, { method: "POST", body, query: { dryRun: dryRun || undefined } });
      if (dryRun) setChecked(true);
      else go(to("project", project, "clusters", name));
    } catch (failure) {
      setProblem(failure);
    }
  };
  if (offers.length === 0) return <Empty>{say("create.nowhere")}</Empty>;
  return (
    <form onSubmit={(event) => (event.preventDefault(), void send(false))}>
      <Line label={say("create.name")} hint={say("create.nameHint")}>{(ids) => <input {...ids} required maxLength={64} autofocus autocomplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />}</Line>
      <Line label={say("create.region")}>
        {(ids) => (
          <select {...ids} value={at} onChange={(event) => (setAt(Number(event.currentTarget.value)), setSize(offers[Number(event.currentTarget.value)]?.sizes[0] ?? ""))}>
            {offers.map((one, i) => <option key={i} value={i}>{one.region} ({one.provider})</option>)}
          </select>
        )}
      </Line>
      <Line label={say("create.size")}>
        {(ids) => <select {...ids} value={size} onChange={(event) => setSize(event.currentTarget.value)}>{offer?.sizes.map((one) => <option key={one}>{one}</option>)}</select>}
      </Line>
      <Line label={say("create.nodes")} hint={say("create.nodesHint")}>
        {(ids) => <select {...ids} value={nodes} onChange={(event) => setNodes(Number(event.currentTarget.value))}>{[1, 3, 5, 7].map((one) => <option key={one}>{one}</option>)}</select>}
      </Line>
      <Tick label={say("create.backups")} hint={say("create.backupsHint")} value={backups} set={setBackups} />
      <div class="actions">
        <Act operation="createGroupCluster" in={{ project }} submit>{say("create.send")}</Act>
        <button type="button" onClick={() => void send(true)}>{say("create.check")}</button>
      </div>
      {checked && <p class="fine" role="status">{say("create.checked")}</p>}
      {problem !== undefined && <Trouble problem={problem} />}
      <Command of={{ cli: { words: ["clusters", "create", name || "NAME"], flags: { region: offer?.region ?? "REGION", size: size || "SIZE", nodes, backupEnabled: backups || undefined } }, method: "POST", path: `/groups/${project}/clusters`, body }} />
    </form>
  );
}

export function CreateCluster(props: { project: string }) {
  const regions = useLoaded(props.project, (signal) => ask<Regions>(`/groups/${props.project}/clusters/provider/regions`, { signal }));
  return <Screen title={say("create.title")} up={[say("clusters.title"), to("project", props.project, "clusters")]}><Show of={regions}>{(known) => <Form project={props.project} offers={offersOf(known)} />}</Show></Screen>;
}
