/* SPDX-License-Identifier: Apache-2.0 */
/* Small parts that all screens are made of. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Problem } from "../api";
import { remedyOf } from "../catalog";
import { say } from "../messages";

/* up: where the list is that this is one of; of: the name of what all of it is in. */
export function Screen(props: { title: string; up?: [title: string, address: string]; of?: string; actions?: ComponentChildren; tabs?: ComponentChildren; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${props.title} · ${say("app.name")}`;
  }, [props.title]);
  /* Who uses a screen reader hears where they are now. */
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <main id="content">
      <header class="screen">
        <div>
          {props.up && <p class="up"><a href={props.up[1]}>{props.up[0]}</a></p>}
          <h1 ref={heading} tabIndex={-1}>{props.title}</h1>
          {props.of && <p class="quiet">{props.of}</p>}
        </div>
        {props.actions && <div class="actions">{props.actions}</div>}
      </header>
      {props.tabs}
      {props.children}
    </main>
  );
}

/* ---- What is being read ---- */
/* again: something has changed; poll: it may have. */
interface Known {
  again: () => void;
  poll: () => void;
}
interface Reading {
  isBusy: boolean;
  isOld: boolean; /* something has changed since it began */
}
export type Loaded<T> = { state: "loading" } | ({ state: "failed"; problem: unknown } & Known) | ({ state: "there"; value: T } & Known);

/*
 * Reads when `key` changes, and again when asked to; meanwhile what was there stays. A read that is under way is never cut off by the next one, or slow answers would never be seen: after a change
 * it is read once more, and a poll has nothing to add.
 */
export function useLoaded<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [turn, setTurn] = useState(0);
  const [loaded, setLoaded] = useState<{ key: string; result: Loaded<T> }>({ key: "", result: { state: "loading" } });
  const reading = useRef<Reading>({ isBusy: true, isOld: false });
  useEffect(() => {
    const abort = new AbortController();
    const mine: Reading = { isBusy: true, isOld: false };
    reading.current = mine;
    const next = () => ((reading.current.isBusy = true), setTurn((before) => before + 1));
    const poll = () => reading.current.isBusy || next();
    const again = () => (reading.current.isBusy ? (reading.current.isOld = true) : next());
    const show = (result: Loaded<T>) => {
      if (abort.signal.aborted) return;
      mine.isBusy = false;
      setLoaded({ key, result });
      if (mine.isOld) next();
    };
    read(abort.signal).then((value) => show({ state: "there", value, again, poll }), (problem: unknown) => show({ state: "failed", problem, again, poll }));
    return () => abort.abort();
  }, [key, turn]);
  return loaded.key === key ? loaded.result : { state: "loading" };
}

export function Show<T>(props: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  const { of: loaded } = props;
  if (loaded.state === "loading") return <p class="quiet" role="status">{say("state.loading")}</p>;
  if (loaded.state === "failed") return <Trouble problem={loaded.problem} again={loaded.again} />;
  return <>{props.children(loaded.value)}</>;
}

/* ---- What went wrong, and what to do ---- */
export function Trouble(props: { problem: unknown; again?: () => void }) {
  const { problem } = props;
  const [remedy, setRemedy] = useState<string>();
  const code = problem instanceof Problem ? problem.code : "";
  useEffect(() => {
    setRemedy(undefined);
    if (code) remedyOf(code).then(setRemedy, () => undefined);
  }, [code]);
  return (
    <div class="trouble" role="alert">
      <p>{problem instanceof Error ? problem.message : String(problem)}</p>
      {problem instanceof Problem && problem.fields.length > 0 && (
        <ul>{problem.fields.map((one) => <li key={one.field}><b>{one.field}</b>: {one.description}</li>)}</ul>
      )}
      {remedy && <p class="quiet">{remedy}</p>}
      {problem instanceof Problem && problem.requestId && <p class="quiet small">{say("state.request", { id: problem.requestId })}</p>}
      {props.again && <button type="button" onClick={props.again}>{say("state.retry")}</button>}
    </div>
  );
}

/* ---- States ---- */
const TONES: Record<string, string> = {
  IDLE: "good", HEALTHY: "good", DONE: "good", COMPLETED: "good", SUCCEEDED: "good", CREATING: "busy", UPDATING: "busy", DELETING: "busy",
  REPAIRING: "busy", RUNNING: "busy", QUEUED: "busy", WAITING: "busy", FAILED: "bad", OPEN: "bad", DEGRADED: "bad", NO_PRIMARY: "bad", CANCELLED: "plain",
  ACTIVE: "good", PRIMARY: "good", SECONDARY: "good", RECOVERING: "busy", PENDING: "plain", NO_DATA: "bad", INVITATION_EXPIRED: "bad",
  /* Of operators */
  SILENT: "bad", OVERDUE: "bad", LOCKED: "bad", FAILING: "bad", GONE: "bad", STOPPED: "plain", STARTING: "busy", DRAINING: "busy", BEHIND: "busy", UNEVEN: "busy", CURRENT: "good", WORKING: "good", active: "good", failed: "bad", inactive: "plain",
  REPLICA: "good", NONE: "bad", LEADER: "good",
};

/* Never by colour alone: the word is there, too. */
export function State(props: { of: string }) {
  return <span class={`state ${TONES[props.of] ?? "plain"}`}>{props.of.toLowerCase().replace(/_/g, " ")}</span>;
}

export function Empty(props: { children: ComponentChildren; next?: ComponentChildren }) {
  return <div class="empty"><p>{props.children}</p>{props.next}</div>;
}

/* ---- A line that is entered ---- */
export function Line(props: { label: string; hint?: ComponentChildren; children: (ids: { id: string; "aria-describedby"?: string }) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="line">
      <label for={id}>{props.label}</label>
      {props.children(props.hint ? { id, "aria-describedby": id + "-hint" } : { id })}
      {props.hint && <p class="hint" id={id + "-hint"}>{props.hint}</p>}
    </div>
  );
}

/* What is or is not so. */
export function Tick(props: { label: string; hint: string; value: boolean; set: (value: boolean) => void }) {
  const id = useId();
  return (
    <div class="line">
      <label class="check"><input type="checkbox" aria-describedby={id} checked={props.value} onChange={(event) => props.set(event.currentTarget.checked)} /> {props.label}</label>
      <p class="hint" id={id}>{props.hint}</p>
    </div>
  );
}

/* ---- A question that must be answered first ---- */
export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    return () => dialog.current?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-label={props.title} onClose={props.close} onClick={(event) => event.target === dialog.current && props.close()}>
      <div class="inside"><h2>{props.title}</h2>{props.children}</div>
    </dialog>
  );
}

export function Copy(props: { text: string }) {
  const [done, setDone] = useState(false);
  const copy = () => navigator.clipboard.writeText(props.text).then(() => (setDone(true), setTimeout(() => setDone(false), 1500)));
  return <button type="button" class="small" onClick={copy}>{say(done ? "command.copied" : "command.copy")}</button>;
}
