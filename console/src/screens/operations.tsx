/* SPDX-License-Identifier: Apache-2.0 */
/* What the service does or did: one operation with its steps, how long each took and what it waits for; and the list of all. */
import { useState } from "preact/hooks";
import { ask, list } from "../api";
import { useEvents, useEvery } from "../frame";
import { say, whenAgo, words } from "../messages";
import { to } from "../route";
import { Empty, Screen, Show, State, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { lasted, Steps } from "../ui/steps";
import { Table } from "../ui/table";
import { isRunning, type Operation as Document } from "./cluster_parts";

const AGAIN_MS = 1000;

export function Operation(props: { project: string; id: string }) {
  const { project, id } = props;
  const path = `/groups/${project}/operations/${id}`;
  const operation = useLoaded(path, (signal) => ask<Document>(path, { signal }));
  useEvery(AGAIN_MS, operation.state === "there" && isRunning(operation.value), () => operation.state === "there" && operation.poll());
  const title = operation.state === "there" ? `${words(operation.value.kind)}${operation.value.clusterName ? ": " + operation.value.clusterName : ""}` : say("operation.title");
  return (
    <Screen title={title} up={[say("nav.operations"), to("project", project, "operations")]}>
      <Show of={operation}>
        {(one) => (
          <>
            <p class="facts"><State of={one.state} /><span>{say("operation.asked", { when: whenAgo(one.createdAt) })}</span>
              {one.startedAt && <span>{say(one.finishedAt ? "operation.done" : "operation.since", { time: lasted(one) })}</span>}
              {one.clusterName && <a href={to("project", project, "clusters", one.clusterName)}>{say("operation.cluster", { name: one.clusterName })}</a>}
            </p>
            <Steps of={one} />
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["operations", "get", id] }, path }} />
    </Screen>
  );
}

const SHOWN = ["", "RUNNING", "QUEUED", "FAILED", "DONE", "CANCELLED"] as const;

export function Operations(props: { project: string }) {
  const { project } = props;
  const [state, setState] = useState("");
  const path = `/groups/${project}/operations`;
  const operations = useLoaded(path + state, (signal) => list<Document>(path, { signal, query: { state } }));
  const again = () => operations.state === "there" && operations.again();
  useEvents((event) => event.groupId === project, again);
  useEvery(AGAIN_MS * 2, operations.state === "there" && operations.value.results.some(isRunning), () => operations.state === "there" && operations.poll());
  const filter = (
    <select aria-label={say("operations.state")} value={state} onChange={(event) => setState(event.currentTarget.value)}>
      {SHOWN.map((one) => <option key={one} value={one}>{one === "" ? say("operations.all") : words(one)}</option>)}
    </select>
  );
  return (
    <Screen title={say("nav.operations")} actions={filter}>
      <Show of={operations}>
        {(page) => page.results.length === 0 ? <Empty>{say("operations.empty")}</Empty> : (
          <Table label={say("nav.operations")} rows={page.results} keyOf={(one) => one.id} columns={[
            { title: say("activity.what"), show: (one) => <a href={to("project", project, "operations", one.id)}>{words(one.kind)}</a> },
            { title: say("palette.cluster"), show: (one) => one.clusterName && <a href={to("project", project, "clusters", one.clusterName)}>{one.clusterName}</a> },
            { title: say("clusters.state"), show: (one) => <State of={one.state} /> },
            { title: say("operation.now"), show: (one) => one.failure ?? one.waitsFor ?? one.steps.find((step) => step.state === "RUNNING" || step.state === "WAITING")?.description ?? "" },
            { title: say("activity.when"), show: (one) => whenAgo(one.createdAt) },
            { title: say("operation.took"), show: lasted },
          ]} />
        )}
      </Show>
      <Command of={{ cli: { words: ["operations", "list"] }, path }} />
    </Screen>
  );
}
