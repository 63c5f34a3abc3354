/* SPDX-License-Identifier: Apache-2.0 */
/* The logs of a cluster's servers: the last lines, new ones as they come, and only those with a word in them. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, list, send } from "../api";
import { useMissing } from "../frame";
import { say } from "../messages";
import { isSomebodyThere } from "../presence";
import { to } from "../route";
import { Empty, Screen, Show, State, Trouble, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { partsOf } from "../ui/gzip";
import { type Cluster, memberOf, membersOf, type Process } from "./cluster_parts";
import { ClusterTabs } from "./cluster_tabs";
import { Needs } from "./needs";

const LOGS = ["postgres", "patroni", "pgbackrest", "audit"] as const;
const SPANS_S = { 600: "logs.600", 3600: "logs.3600", 86400: "logs.86400" } as const;
const AGAIN_MS = 2000;
const MOST_LINES = 5000; /* older ones leave at the top */

interface Log {
  key: string;
  lines: string[];
  position: string;
  problem?: unknown;
}

/* Reads from the beginning of the span, and then what came behind the last line. */
function useLog(path: string, seconds: number, follow: boolean): Log {
  const key = `${path} ${seconds}`;
  const [log, setLog] = useState<Log>({ key: "", lines: [], position: "" });
  useEffect(() => {
    const stop = new AbortController();
    let known: Log = { key, lines: [], position: "" }, timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => (timer = setTimeout(() => (isSomebodyThere() ? read() : wait()), AGAIN_MS));
    const read = async () => {
      try {
        const query = known.position ? { after: known.position } : { startDate: Math.floor(Date.now() / 1000) - seconds };
        const response = await send(path, { query, accept: "*/*", signal: stop.signal });
        const { text, position } = await partsOf(new Uint8Array(await response.arrayBuffer()));
        const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
        known = { key, lines: [...known.lines, ...lines].slice(-MOST_LINES), position: position || known.position };
      } catch (problem) {
        known = { ...known, problem };
      }
      if (stop.signal.aborted) return;
      setLog(known);
      if (follow) wait();
    };
    void read();
    return () => (stop.abort(), clearTimeout(timer));
  }, [key, follow]);
  return log.key === key ? log : { key: "", lines: [], position: "" };
}

function tone(line: string): string | undefined {
  return /\b(PANIC|FATAL|ERROR|CRITICAL)\b/.test(line) ? "bad" : /\bWARN(ING)?\b/.test(line) ? "busy" : undefined;
}

function Lines(props: { log: Log; text: string; follow: boolean }) {
  const { log, follow } = props;
  const box = useRef<HTMLDivElement>(null);
  const wanted = props.text.toLowerCase();
  const lines = useMemo(() => (wanted ? log.lines.filter((line) => line.toLowerCase().includes(wanted)) : log.lines), [log, wanted]);
  useEffect(() => {
    if (follow && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, follow]);
  if (log.key === "") return <p class="quiet" role="status">{say("state.loading")}</p>;
  if (lines.length === 0) return <Empty>{say(wanted ? "logs.noMatch" : "logs.none")}</Empty>;
  return <div class="log" ref={box} tabIndex={0} role="log" aria-label={say("cluster.logs")}>{lines.map((line, i) => <div key={i} class={tone(line)}>{line}</div>)}</div>;
}

function Viewer(props: { project: string; members: Process[] }) {
  const { project, members } = props;
  const [member, setMember] = useState((members.find((one) => /PRIMARY/.test(one.typeName)) ?? members[0])!.hostname);
  const [name, setName] = useState<string>("postgres");
  const [seconds, setSeconds] = useState(3600);
  const [follow, setFollow] = useState(true);
  const [text, setText] = useState("");
  const path = `/groups/${project}/clusters/${encodeURIComponent(member)}/logs/${name}.gz`;
  const log = useLog(path, seconds, follow);
  return (
    <>
      <div class="filters">
        <select aria-label={say("cluster.member")} value={member} onChange={(event) => setMember(event.currentTarget.value)}>{members.map((one) => <option key={one.id} value={one.hostname}>{memberOf(one)}</option>)}</select>
        <select aria-label={say("logs.which")} value={name} onChange={(event) => setName(event.currentTarget.value)}>{LOGS.map((one) => <option key={one}>{one}</option>)}</select>
        <select aria-label={say("metrics.period")} value={seconds} onChange={(event) => setSeconds(Number(event.currentTarget.value))}>{Object.entries(SPANS_S).map(([one, title]) => <option key={one} value={one}>{say(title)}</option>)}</select>
        <input type="search" aria-label={say("logs.filter")} placeholder={say("logs.filter")} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <label class="check"><input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} /> {say("logs.follow")}</label>
      </div>
      {log.problem !== undefined && <Trouble problem={log.problem} />}
      {!(log.problem !== undefined && log.lines.length === 0) && <Lines log={log} text={text} follow={follow} />}
    </>
  );
}

export function Logs(props: { project: string; name: string }) {
  const { project, name } = props;
  const missing = useMissing("downloadGroupClusterLog", { project });
  const members = useLoaded(`${project}/${name}/members`, async (signal) => {
    const [cluster, processes] = await Promise.all([ask<Cluster>(`/groups/${project}/clusters/${encodeURIComponent(name)}`, { signal }), list<Process>(`/groups/${project}/processes`, { signal })]);
    return membersOf(cluster, processes.results);
  });
  return (
    <Screen title={say("logs.title", { name })} up={[say("clusters.title"), to("project", project, "clusters")]} tabs={<ClusterTabs project={project} name={name} here="logs" />}>
      {missing.length > 0 ? <Needs roles={missing} operation="downloadGroupClusterLog" /> : (
        <Show of={members}>{(known) => known.length === 0 ? <Empty>{say("logs.noMembers")} <State of="CREATING" /></Empty> : <Viewer project={project} members={known} />}</Show>
      )}
      <Command of={{ cli: { words: ["logs", name], flags: { follow: true } }, path: `/groups/${project}/clusters/HOST/logs/postgres.gz` }} />
    </Screen>
  );
}
