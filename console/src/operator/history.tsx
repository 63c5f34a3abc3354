/* SPDX-License-Identifier: Apache-2.0 */
/* What operators changed: who, from where, and what they sent. Nothing of it is ever removed. */
import { useMemo, useState } from "preact/hooks";
import { listAll } from "../api";
import { useEvery, useWorld } from "../frame";
import { say, whenAgo, words } from "../messages";
import { Dialog, Empty, Screen, Trouble, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { usePages } from "../ui/pages";
import { Table } from "../ui/table";
import { AGAIN_MS, Choose } from "./parts";

interface Action {
  sequence: number;
  at: string;
  operator: string;
  operation: string;
  target: string;
  request?: unknown;
  address?: string;
  requestId?: string;
}

function Details(props: { of: Action; close: () => void }) {
  const { of: one } = props;
  return (
    <Dialog title={`${words(one.operation)} ${one.target}`} close={props.close}>
      <dl>
        <dt>{say("activity.when")}</dt><dd>{one.at}</dd>
        <dt>{say("activity.who")}</dt><dd>{one.operator}</dd>
        {one.address && <><dt>{say("activity.from")}</dt><dd>{one.address}</dd></>}
        {one.requestId && <><dt>{say("activity.request")}</dt><dd><code>{one.requestId}</code></dd></>}
      </dl>
      {one.request !== undefined && <><h3>{say("history.sent")}</h3><pre tabIndex={0}>{typeof one.request === "string" ? one.request : JSON.stringify(one.request, null, 2)}</pre></>}
      <div class="actions end"><button type="button" autofocus onClick={props.close}>{say("dialog.close")}</button></div>
    </Dialog>
  );
}

export function History() {
  const { query } = useWorld().place;
  const operator = query.get("operator") ?? "";
  const [text, setText] = useState("");
  const [shown, setShown] = useState<Action>();
  const names = useLoaded("operators", (signal) => listAll<{ name: string }>("/operators", { signal }));
  const actions = usePages<Action>("/history", { operator }, { keyOf: (one) => String(one.sequence) });
  useEvery(AGAIN_MS, true, actions.again);
  const wanted = text.toLowerCase();
  const rows = useMemo(() => (actions.rows ?? []).filter((one) => `${words(one.operation)} ${one.operation} ${one.target} ${one.operator}`.toLowerCase().includes(wanted)), [actions.rows, wanted]);
  return (
    <Screen title={say("history.title")}>
      <div class="filters">
        <input type="search" aria-label={say("activity.filter")} placeholder={say("activity.filter")} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        <Choose query={query} name="operator" label={say("history.who")} any={say("history.everybody")} of={names.state === "there" ? names.value.results.map((one) => [one.name, one.name]) : []} />
        {actions.rows && <span class="quiet small" role="status">{say("activity.count", { shown: rows.length, loaded: actions.rows.length, total: actions.total })}</span>}
      </div>
      {actions.problem !== undefined && <Trouble problem={actions.problem} again={actions.again} />}
      {!actions.rows ? <p class="quiet" role="status">{say("state.loading")}</p> : rows.length === 0 ? <Empty>{say(wanted ? "activity.noMatch" : "activity.empty")}</Empty> : (
        <Table label={say("history.title")} rows={rows} keyOf={(one) => String(one.sequence)} end={actions.more} columns={[
          { title: say("activity.when"), show: (one) => <time dateTime={one.at} title={one.at}>{whenAgo(one.at)}</time> },
          { title: say("activity.what"), show: (one) => <button type="button" class="link" onClick={() => setShown(one)}>{words(one.operation)}</button> },
          { title: say("activity.subject"), show: (one) => <code>{one.target}</code> },
          { title: say("activity.who"), show: (one) => one.operator },
          { title: say("activity.from"), show: (one) => one.address ?? "–" },
        ]} />
      )}
      {actions.rows && actions.rows.length < actions.total && <button type="button" class="more" onClick={actions.more}>{say("activity.older")}</button>}
      {shown && <Details of={shown} close={() => setShown(undefined)} />}
      <Command of={{ cli: { words: ["fleet", "history", "list"], flags: { operator } }, path: "/history", query: { operator } }} />
    </Screen>
  );
}
