/* SPDX-License-Identifier: Apache-2.0 */
/* Slow queries, and what would help: each suggested index with what it was proven to save. */
import { ask } from "../api";
import { change } from "../confirmed";
import { useEvery } from "../frame";
import { say, span } from "../messages";
import { to } from "../route";
import { AskAct } from "../ui/ask";
import { Empty, Screen, Show, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";
import { ClusterTabs } from "./cluster_tabs";

interface Advice {
  suggestedIndexes: { id: string; namespace: string; index: Record<string, unknown>[]; sizeBytes?: number; proof?: { costBefore: number; costAfter: number }[] }[];
}

/* What a kind of query costs, whether or not an index would help. */
interface Shape {
  queryShapeHash: string;
  queryShape: string;
  systemQuery: boolean;
  execCount: number;
  avgWorkingMillis: number;
}

const AGAIN_MS = 10_000;
const MOST_SHAPES = 50;

function saved(proof: { costBefore: number; costAfter: number }[] = []): string {
  const before = proof.reduce((sum, one) => sum + one.costBefore, 0), after = proof.reduce((sum, one) => sum + one.costAfter, 0);
  return before > 0 ? `${Math.round((1 - after / before) * 100)} %` : "–";
}

export function Queries(props: { project: string; name: string }) {
  const { project, name } = props;
  const of = `/groups/${project}/clusters/${encodeURIComponent(name)}`, path = of + "/performanceAdvisor/suggestedIndexes";
  const build = (one: Advice["suggestedIndexes"][number]) => {
    const [db, ...table] = one.namespace.split(".");
    return (
      <AskAct operation="createGroupClusterIndexRollingIndex" in={{ project }} small label={say("queries.build")} of={one.namespace} title={say("queries.buildTitle", { table: table.join(".") })} text={say("queries.buildText")} fields={[]}
        send={() => change(of + "/index", { method: "POST", body: { db, collection: table.join("."), keys: one.index } }).then(() => undefined)} />
    );
  };
  const advice = useLoaded(path, async (signal) => {
    const [{ suggestedIndexes }, { summaries }] = await Promise.all([
      ask<Advice>(path, { signal }),
      ask<{ summaries: Shape[] }>(of + "/queryShapeInsights/summaries", { signal, query: { nSummaries: MOST_SHAPES } }),
    ]);
    return { suggestedIndexes, shapes: summaries.filter((one) => !one.systemQuery) };
  });
  useEvery(AGAIN_MS, advice.state === "there", () => advice.state === "there" && advice.poll());
  return (
    <Screen title={say("queries.title", { name })} up={[say("clusters.title"), to("project", project, "clusters")]} tabs={<ClusterTabs project={project} name={name} here="queries" />}>
      <Show of={advice}>
        {({ suggestedIndexes, shapes }) => (
          <>
            <h2>{say("queries.indexes")}</h2>
            {suggestedIndexes.length === 0 ? <Empty>{say("queries.noIndexes")}</Empty> : (
              <Table label={say("queries.indexes")} rows={suggestedIndexes} keyOf={(one) => one.id} columns={[
                { title: say("queries.table"), show: (one) => one.namespace },
                { title: say("queries.columns"), show: (one) => <code>{one.index.flatMap(Object.keys).join(", ")}</code> },
                { title: say("queries.saves"), show: (one) => saved(one.proof) },
                { title: "", show: build },
              ]} />
            )}
            <h2>{say("queries.shapes")}</h2>
            {shapes.length === 0 ? <Empty>{say("queries.noShapes")}</Empty> : <Table label={say("queries.shapes")} rows={shapes} keyOf={(one) => one.queryShapeHash} columns={[
              { title: say("queries.shape"), show: (one) => <code>{one.queryShape}</code> },
              { title: say("queries.count"), show: (one) => one.execCount },
              { title: say("queries.mean"), show: (one) => span(one.avgWorkingMillis) },
            ]} />}
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["advisor", name] }, path }} />
    </Screen>
  );
}
