/* SPDX-License-Identifier: Apache-2.0 */
/* How much a project may hold, and how much of it is used. */
import { ask, list } from "../api";
import { say, words } from "../messages";
import { AskAct } from "../ui/ask";
import { Screen, Show, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";

interface Limit {
  name: string;
  value: number;
  defaultLimit: number;
  maximumLimit: number;
  currentUsage?: number;
}

/* reeve.project.something.clusters → something clusters */
const shortName = (name: string) => words(name.split(".").slice(2).join(" ") || name);

export function Limits(props: { project: string }) {
  const { project } = props;
  const path = `/groups/${project}/limits`;
  const limits = useLoaded(path, (signal) => list<Limit>(path, { signal }));
  const set = (one: Limit) => (
    <AskAct operation="setProjectLimit" in={{ project }} quiet small label={say("limits.set")} of={one.name} title={shortName(one.name)}
      fields={[{ name: "value", label: say("limits.value"), type: "number", value: String(one.value), hint: say("limits.hint", { usual: one.defaultLimit, most: one.maximumLimit }) }]}
      send={({ value }) => ask(`${path}/${encodeURIComponent(one.name)}`, { method: "PATCH", body: { value: Number(value) } }).then(() => undefined)}
      done={() => limits.state === "there" && limits.again()} />
  );
  return (
    <Screen title={say("nav.limits")}>
      <Show of={limits}>
        {(page) => (
          <Table label={say("nav.limits")} rows={page.results} keyOf={(one) => one.name} columns={[
            { title: say("limits.what"), show: (one) => <span title={one.name}>{shortName(one.name)}</span> },
            { title: say("limits.used"), show: (one) => one.currentUsage === undefined ? "–" : <><meter min={0} max={Math.max(one.value, 1)} value={one.currentUsage} aria-label={`${one.currentUsage} / ${one.value}`} /> {one.currentUsage}</> },
            { title: say("limits.value"), show: (one) => one.value },
            { title: "", show: set },
          ]} />
        )}
      </Show>
      <Command of={{ cli: { words: ["projects", "limits", "list"] }, path }} />
    </Screen>
  );
}
