/* SPDX-License-Identifier: Apache-2.0 */
/* Minor versions: which clusters are behind, and rollouts: canaries first, how far each is, and to stop one. */
import { useState } from "preact/hooks";
import { ask, listAll } from "../api";
import { change } from "../confirmed";
import { Act, usePolled, useWorld } from "../frame";
import { day, say, whenAgo, words } from "../messages";
import { go, to } from "../route";
import { AskAct } from "../ui/ask";
import { Dialog, Empty, Line, Screen, Show, State, Trouble } from "../ui/basics";
import { Command, type Line as CommandLine } from "../ui/command";
import { Table } from "../ui/table";
import { AGAIN_MS, BUSY_MS, Choose, type Update, type UpdatedCluster } from "./parts";

interface Whole extends Update {
  clusters: UpdatedCluster[];
}

interface Version {
  name: string;
  projectName: string;
  verdict: string;
  running?: string;
  installed?: string;
  reason?: string;
  clusterId: string;
}

const VERDICTS = ["BEHIND", "UNEVEN", "PINNED", "UNKNOWN", "BUSY", "PAUSED", "CURRENT"];

function Clusters(props: { of: UpdatedCluster[]; isWhole?: boolean }) {
  return (
    <Table label={say("operator.fleet")} rows={props.of} isWhole={props.isWhole} keyOf={(one) => one.clusterId} columns={[
      { title: say("clusters.name"), show: (one) => <><a href={to("clusters", one.clusterId)}>{one.name}</a>{one.isCanary && <> <span class="quiet small">{say("updates.canary")}</span></>}</> },
      { title: say("clusters.state"), show: (one) => one.jobId ? <a href={to("jobs", one.jobId)}><State of={one.state} /></a> : <State of={one.state} /> },
      { title: say("fleet.version"), show: (one) => say("updates.fromTo", { from: one.fromVersion ?? "–", to: one.toVersion ?? "–" }) },
      { title: say("cluster.members"), show: (one) => <span class="number">{say("host.of", { used: one.membersDone, all: one.members })}</span> },
      { title: say("operation.now"), show: (one) => one.problem ?? one.waitsFor ?? "" },
    ]} />
  );
}

/* ---- Beginning ---- */
interface Wish {
  canaries: string;
  atATime: string;
  version: string;
}

const canariesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean);

function bodyOf(wish: Wish): Record<string, unknown> {
  const canaries = canariesOf(wish.canaries);
  return { ...(canaries.length > 0 ? { canaries } : {}), ...(wish.version ? { version: wish.version } : {}), atATime: Number(wish.atATime) };
}

function cliOf({ canaries, atATime, version }: Wish): CommandLine {
  return { words: ["fleet", "update"], flags: { atATime: atATime || 2, canary: canariesOf(canaries).join(","), to: version } };
}

/* First the plan, then the beginning: the same question twice, and only the second one changes something. */
function Begin(props: { close: () => void }) {
  const [wish, setWish] = useState<Wish>({ canaries: "", atATime: "2", version: "" });
  const [plan, setPlan] = useState<Whole>();
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const body = bodyOf(wish);
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      if (!plan) setPlan(await ask<Whole>("/updates", { method: "POST", query: { dryRun: true }, body }));
      else {
        const made = await change<Whole>("/updates", { method: "POST", body });
        props.close();
        go(to("updates", made.id));
        return;
      }
    } catch (failure) {
      setProblem(failure);
    }
    setBusy(false);
  };
  const field = (name: keyof Wish, label: string, hint: string | undefined, type = "text") => (
    <Line label={label} hint={hint}>
      {(ids) => <input {...ids} type={type} min={1} max={1000} required={type === "number"} autocomplete="off" spellcheck={false} value={wish[name]} onInput={(event) => setWish({ ...wish, [name]: event.currentTarget.value })} />}
    </Line>
  );
  return (
    <Dialog title={say("updates.title")} close={props.close}>
      <form onSubmit={send}>
        <p>{say("updates.text")}</p>
        {plan ? (
          <>
            <p class="fine">{say("updates.planned", { total: plan.total - plan.skipped, skipped: plan.skipped })}</p>
            <div class="plan" tabIndex={0} role="region" aria-label={say("updates.plan")}><Clusters of={plan.clusters} isWhole /></div>
          </>
        ) : (
          <>
            {field("canaries", say("updates.canaries"), say("updates.canariesHint"))}
            {field("version", say("updates.version"), say("updates.versionHint"))}
            {field("atATime", say("updates.atATime"), undefined, "number")}
          </>
        )}
        {problem !== undefined && <Trouble problem={problem} />}
        <div class="actions end">
          <button type="button" onClick={plan ? () => setPlan(undefined) : props.close}>{say(plan ? "updates.change" : "dialog.cancel")}</button>
          <button type="submit" class="button" disabled={busy}>{say(plan ? "updates.go" : "updates.plan")}</button>
        </div>
        <Command of={{ cli: cliOf(wish), method: "POST", path: "/updates", body }} />
      </form>
    </Dialog>
  );
}

/* ---- All of them ---- */
function Versions() {
  const { query } = useWorld().place;
  const verdict = query.get("verdict") ?? "";
  const versions = usePolled("versions" + verdict, 6 * AGAIN_MS, (signal) => listAll<Version>("/versions", { signal, query: { verdict } }));
  return (
    <section>
      <div class="screen"><h2>{say("updates.versions")}</h2><Choose query={query} name="verdict" label={say("updates.verdict")} any={say("updates.all")} of={VERDICTS.map((one) => [one, words(one)])} /></div>
      <Show of={versions}>
        {(page) => page.results.length === 0 ? <Empty>{say("updates.noClusters")}</Empty> : (
          <Table label={say("updates.versions")} rows={page.results} keyOf={(one) => one.clusterId} columns={[
            { title: say("clusters.name"), show: (one) => <a href={to("clusters", one.clusterId)}>{one.projectName}/{one.name}</a> },
            { title: say("updates.verdict"), show: (one) => <State of={one.verdict} /> },
            { title: say("updates.running"), show: (one) => one.running ?? "–" },
            { title: say("updates.installed"), show: (one) => one.installed ?? "–" },
            { title: say("updates.reason"), show: (one) => one.reason ?? "" },
          ]} />
        )}
      </Show>
    </section>
  );
}

export function Updates() {
  const [beginning, setBeginning] = useState(false);
  const updates = usePolled("updates", AGAIN_MS, (signal) => listAll<Update>("/updates", { signal }));
  return (
    <Screen title={say("operator.updates")} actions={<Act operation="startUpdate" in={{}} act={() => setBeginning(true)}>{say("updates.begin")}</Act>}>
      <section>
        <Show of={updates}>
          {(page) => page.results.length === 0 ? <Empty>{say("updates.none")}</Empty> : (
            <Table label={say("operator.updates")} rows={page.results} keyOf={(one) => one.id} columns={[
              { title: say("activity.when"), show: (one) => <a href={to("updates", one.id)}>{day(one.createdAt)}</a> },
              { title: say("clusters.state"), show: (one) => <State of={one.state} /> },
              { title: say("operation.now"), show: (one) => <>{say("updates.progress", { done: one.done, total: one.total })}{one.problem && <span class="quiet"> {one.problem}</span>}</> },
              { title: say("activity.who"), show: (one) => one.createdBy },
            ]} />
          )}
        </Show>
      </section>
      <Versions />
      {beginning && <Begin close={() => setBeginning(false)} />}
      <Command of={{ cli: { words: ["fleet", "updates", "list"] }, path: "/updates" }} />
    </Screen>
  );
}

/* ---- One of them ---- */
export function OneUpdate(props: { id: string }) {
  const { id } = props;
  const path = `/updates/${encodeURIComponent(id)}`;
  const [problem, setProblem] = useState<unknown>();
  const update = usePolled(path, BUSY_MS, (signal) => ask<Whole>(path, { signal }));
  const again = () => (setProblem(undefined), update.state === "there" && update.again());
  const state = update.state === "there" ? update.value.state : "";
  const actions = (
    <>
      {state === "RUNNING" && <Act operation="stopUpdate" in={{}} danger act={() => void change(`${path}:stop`, { method: "POST" }).then(again, setProblem)}>{say("updates.stop")}</Act>}
      {state === "STOPPED" && (
        <AskAct operation="continueUpdate" in={{}} label={say("updates.continue")} text={say("updates.continueText")} fields={[{ name: "failed", label: say("updates.failedOnes"), options: [["again", say("updates.again")], ["skip", say("updates.skip")]] }]}
          send={({ failed }) => change(`${path}:continue`, { method: "POST", body: { skipFailed: failed === "skip" } }).then(() => undefined)} done={again} />
      )}
    </>
  );
  return (
    <Screen title={update.state === "there" ? say("updates.one", { when: day(update.value.createdAt) }) : say("operator.updates")} up={[say("operator.updates"), to("updates")]} actions={actions}>
      {problem !== undefined && <Trouble problem={problem} />}
      <Show of={update}>
        {(one) => (
          <>
            <p class="facts"><State of={one.state} /><span>{say("updates.progress", { done: one.done, total: one.total })}</span><span>{say("updates.by", { who: one.createdBy, when: whenAgo(one.createdAt) })}</span></p>
            <p><progress max={Math.max(one.total, 1)} value={one.done + one.skipped} aria-label={say("updates.progress", { done: one.done, total: one.total })} /></p>
            {one.problem && <p class="trouble">{one.problem}</p>}
            <Clusters of={one.clusters} />
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["fleet", "updates", "show", id] }, path }} />
    </Screen>
  );
}
