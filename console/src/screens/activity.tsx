/* SPDX-License-Identifier: Apache-2.0 */
/* What changed, who did it, from where, and what it was before. */
import { useMemo, useState } from "preact/hooks";
import { useEvents } from "../frame";
import { type Message, say, whenAgo, words } from "../messages";
import { to } from "../route";
import { Dialog, Empty, Screen, Trouble } from "../ui/basics";
import { Command } from "../ui/command";
import { usePages } from "../ui/pages";
import { Table } from "../ui/table";

interface Event {
  id: string;
  created: string;
  eventTypeName: string;
  clusterName?: string;
  username?: string;
  publicKey?: string;
  clientId?: string;
  targetUsername?: string;
  dbUserUsername?: string;
  targetPublicKey?: string;
  remoteAddress?: string;
  requestId?: string;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

const PERIODS_H: [hours: number, title: Message][] = [[0, "activity.always"], [1, "metrics.PT1H"], [24, "metrics.PT24H"], [168, "metrics.P7D"]];

const subject = (one: Event) => one.clusterName ?? one.targetUsername ?? one.dbUserUsername ?? one.targetPublicKey ?? "";
const actor = (one: Event) => one.username ?? one.publicKey ?? one.clientId ?? "";

/* Only the fields that differ. */
function Difference(props: { of: Event }) {
  const { before = {}, after = {} } = props.of;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (names.length === 0) return null;
  const show = (value: unknown) => value === undefined ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return (
    <Table label={say("activity.difference")} rows={names} keyOf={(name) => name} columns={[
      { title: say("activity.field"), show: (name) => name },
      { title: say("activity.before"), show: (name) => <code>{show(before[name])}</code> },
      { title: say("activity.after"), show: (name) => <code>{show(after[name])}</code> },
    ]} />
  );
}

function Details(props: { of: Event; close: () => void }) {
  const { of: one } = props;
  return (
    <Dialog title={`${words(one.eventTypeName)} ${subject(one)}`} close={props.close}>
      <dl>
        <dt>{say("activity.when")}</dt><dd>{one.created}</dd>
        <dt>{say("activity.who")}</dt><dd>{actor(one) || "–"}</dd>
        {one.remoteAddress && <><dt>{say("activity.from")}</dt><dd>{one.remoteAddress}</dd></>}
        {one.requestId && <><dt>{say("activity.request")}</dt><dd><code>{one.requestId}</code></dd></>}
      </dl>
      <Difference of={one} />
      <div class="actions end"><button type="button" autofocus onClick={props.close}>{say("dialog.close")}</button></div>
    </Dialog>
  );
}

export function Activity(props: { project: string }) {
  const { project } = props;
  const [hours, setHours] = useState(0);
  const [text, setText] = useState("");
  const [shown, setShown] = useState<Event>();
  const path = `/groups/${project}/events`;
  const since = useMemo(() => (hours > 0 ? new Date(Date.now() - hours * 3600_000).toISOString().slice(0, 19) + "Z" : undefined), [hours]);
  const events = usePages<Event>(path, { minDate: since });
  useEvents((event) => event.groupId === project, events.again);
  const wanted = text.toLowerCase();
  const rows = useMemo(() => (events.rows ?? []).filter((one) => `${words(one.eventTypeName)} ${one.eventTypeName} ${subject(one)} ${actor(one)}`.toLowerCase().includes(wanted)), [events.rows, wanted]);
  return (
    <Screen title={say("activity.title")}>
      <div class="filters">
        <input type="search" aria-label={say("activity.filter")} placeholder={say("activity.filter")} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <select aria-label={say("metrics.period")} value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>{PERIODS_H.map(([one, title]) => <option key={one} value={one}>{say(title)}</option>)}</select>
        {events.rows && <span class="quiet small" role="status">{say("activity.count", { shown: rows.length, loaded: events.rows.length, total: events.total })}</span>}
      </div>
      {events.problem !== undefined && <Trouble problem={events.problem} again={events.again} />}
      {!events.rows ? <p class="quiet" role="status">{say("state.loading")}</p> : rows.length === 0 ? <Empty>{say(wanted ? "activity.noMatch" : "activity.empty")}</Empty> : (
        <Table label={say("activity.title")} rows={rows} keyOf={(one) => one.id} end={events.more} columns={[
          { title: say("activity.when"), show: (one) => <time dateTime={one.created} title={one.created}>{whenAgo(one.created)}</time> },
          { title: say("activity.what"), show: (one) => <button type="button" class="link" onClick={() => setShown(one)}>{words(one.eventTypeName)}</button> },
          { title: say("activity.subject"), show: (one) => one.clusterName ? <a href={to("project", project, "clusters", one.clusterName)}>{one.clusterName}</a> : subject(one) },
          { title: say("activity.who"), show: (one) => actor(one) || "–" },
        ]} />
      )}
      {events.rows && events.rows.length < events.total && <button type="button" class="more" onClick={events.more}>{say("activity.older")}</button>}
      {shown && <Details of={shown} close={() => setShown(undefined)} />}
      <Command of={{ cli: { words: ["events", "list"] }, path }} />
    </Screen>
  );
}
