/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong now, worst first: open alerts, what failed, what is being done. */
import { list } from "../api";
import { useEvents } from "../frame";
import { say, whenAgo, words } from "../messages";
import { to } from "../route";
import { Empty, Screen, Show, State, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { isRunning, type Operation } from "./cluster_parts";

interface Alert {
  id: string;
  eventTypeName: string;
  clusterName?: string;
  status: string;
  created: string;
}

export function Now(props: { project: string }) {
  const { project } = props;
  const all = useLoaded(project, async (signal) => {
    const [alerts, operations] = await Promise.all([
      list<Alert>(`/groups/${project}/alerts`, { signal, query: { status: "OPEN" } }),
      list<Operation>(`/groups/${project}/operations`, { signal }),
    ]);
    return { alerts: alerts.results, failed: operations.results.filter((one) => one.state === "FAILED"), running: operations.results.filter(isRunning) };
  });
  useEvents((event) => event.groupId === project, () => all.state === "there" && all.again());
  const link = (name: string | undefined) => name && <a href={to("project", project, "clusters", name)}>{name}</a>;
  return (
    <Screen title={say("now.title")}>
      <p class="quiet">{say("now.text")}</p>
      <Show of={all}>
        {({ alerts, failed, running }) => alerts.length + failed.length + running.length === 0 ? <Empty>{say("now.nothing")}</Empty> : (
          <ul class="now">
            {alerts.map((one) => <li key={one.id}><State of="OPEN" /><span>{say("now.alert")}: {words(one.eventTypeName)} {link(one.clusterName)}</span> <span class="quiet">{whenAgo(one.created)}</span></li>)}
            {[...failed, ...running].map((one) => (
              <li key={one.id}><State of={one.state} /><span><a href={to("project", project, "operations", one.id)}>{words(one.kind)}</a> {link(one.clusterName)}
                {one.failure ? `: ${one.failure}` : one.waitsFor ? `: ${say("operation.waits", { what: one.waitsFor })}` : ""}</span> <span class="quiet">{whenAgo(one.createdAt)}</span></li>
            ))}
          </ul>
        )}
      </Show>
      <Command of={{ cli: { words: ["status"] }, path: `/groups/${project}/alerts`, query: { status: "OPEN" } }} />
    </Screen>
  );
}
