/* SPDX-License-Identifier: Apache-2.0 */
/* The views of one cluster, in the order in which people need them; the same on each of them. */
import { useEffect, useRef } from "preact/hooks";
import { useMissing } from "../frame";
import { type Message, say } from "../messages";
import { to } from "../route";

const VIEWS: [view: string, title: Message, operation: string][] = [
  ["", "cluster.overview", "getGroupCluster"], ["connect", "cluster.connect", "getGroupCluster"], ["metrics", "cluster.metrics", "getGroupProcessMeasurements"],
  ["logs", "cluster.logs", "downloadGroupClusterLog"], ["queries", "cluster.queries", "listGroupClusterPerformanceAdvisorSuggestedIndexes"],
  ["restore", "cluster.restore", "createGroupClusterBackupRestoreJob"],
];

function Tab(props: { address: string; title: Message; operation: string; project: string; isHere: boolean }) {
  const missing = useMissing(props.operation, { project: props.project });
  const why = missing.length > 0 ? say("may.needs", { roles: missing.join(" / ") }) : undefined;
  return <a href={props.address} title={why} data-operation={props.operation} data-missing={missing.join(" ") || undefined} aria-current={props.isHere ? "page" : undefined}>{say(props.title)}</a>;
}

export function ClusterTabs(props: { project: string; name: string; here: string }) {
  const { project, name, here } = props;
  const tabs = useRef<HTMLDivElement>(null);
  /* On a phone they are wider than the screen. */
  useEffect(() => {
    const all = tabs.current, current = all?.querySelector<HTMLElement>("[aria-current]");
    if (all && current) all.scrollLeft = current.offsetLeft - all.offsetLeft - (all.clientWidth - current.clientWidth) / 2;
  }, [here]);
  return (
    <div class="tabs" ref={tabs} role="navigation" aria-label={name}>
      {VIEWS.map(([view, title, operation]) => (
        <Tab key={view} title={title} operation={operation} project={project} isHere={view === here} address={to("project", project, "clusters", name, ...(view ? [view] : []))} />
      ))}
    </div>
  );
}
