/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: what each is at, what a failed one waits for, every try of it; and to try again, or to give up. */
import { useState } from "preact/hooks";
import { listAll } from "../api";
import { change } from "../confirmed";
import { Act, usePolled, useWorld } from "../frame";
import { day, say, whenAgo, words } from "../messages";
import { to } from "../route";
import { AskAct } from "../ui/ask";
import { Empty, Screen, Show, State, Trouble } from "../ui/basics";
import { Command } from "../ui/command";
import { lasted, Steps } from "../ui/steps";
import { Table } from "../ui/table";
import { AGAIN_MS, BUSY_MS, Choose, type Job, oneJob } from "./parts";

const STATES = ["ALL", "QUEUED", "RUNNING", "FAILED", "DONE", "CANCELLED"];

const percent = (one: Job) => (one.stepCount > 0 ? Math.round((100 * one.stepNumber) / one.stepCount) : 0);

export function JobSteps(props: { id: string }) {
  const job = usePolled(props.id, BUSY_MS, (signal) => oneJob(props.id, signal));
  return <Show of={job}>{(one) => <Steps of={{ ...one, percent: percent(one) }} />}</Show>;
}

export function OneJob(props: { id: string }) {
  const { id } = props;
  const path = `/jobs/${encodeURIComponent(id)}`;
  const [problem, setProblem] = useState<unknown>();
  const job = usePolled(path, BUSY_MS, (signal) => oneJob(id, signal));
  const again = () => (setProblem(undefined), job.state === "there" && job.again());
  const title = job.state === "there" ? `${words(job.value.kind)}: ${job.value.subjectName}` : id;
  const actions = job.state === "there" && !["DONE", "CANCELLED"].includes(job.value.state) && (
    <>
      <Act operation="retryJob" in={{}} act={() => void change(`${path}:retry`, { method: "POST" }).then(again, setProblem)}>{say("one.retry")}</Act>
      <AskAct operation="cancelJob" in={{}} danger label={say("one.cancel")} title={say("jobs.cancelTitle", { name: title })} text={say("jobs.cancelText")} fields={[]}
        send={() => change(`${path}:cancel`, { method: "POST" }).then(() => undefined)} done={again} />
    </>
  );
  return (
    <Screen title={title} up={[say("operator.jobs"), to("jobs")]} actions={actions}>
      {problem !== undefined && <Trouble problem={problem} />}
      <Show of={job}>
        {(one) => (
          <>
            <p class="facts"><State of={one.state} /><span>{say("operation.asked", { when: whenAgo(one.createdAt) })}</span>
              {one.startedAt && <span>{say(one.finishedAt ? "operation.done" : "operation.since", { time: lasted(one) })}</span>}
              {one.failures !== undefined && one.failures > 0 && <span>{say("jobs.try", { count: one.failures + 1 })}</span>}
              {one.nextRunAt && !one.finishedAt && <span>{say("jobs.next", { when: whenAgo(one.nextRunAt) })}</span>}
              {one.overdueAt && <State of="OVERDUE" />}
              <Subject of={one} />
            </p>
            <Steps of={{ ...one, percent: percent(one) }} />
            {one.history.length > 0 && (
              <section>
                <h2>{say("jobs.history")}</h2>
                <Table label={say("jobs.history")} rows={[...one.history].reverse()} keyOf={(entry) => String(entry.number)} columns={[
                  { title: say("jobs.at"), show: (entry) => <time dateTime={entry.at} title={day(entry.at)}>{whenAgo(entry.at)}</time> },
                  { title: say("activity.what"), show: (entry) => words(entry.step) },
                  { title: say("jobs.outcome"), show: (entry) => <State of={entry.outcome} /> },
                  { title: say("jobs.why"), show: (entry) => entry.detail ?? "" },
                ]} />
              </section>
            )}
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["fleet", "jobs", "show", id] }, path }} />
    </Screen>
  );
}

/* Jobs are named by their subject: "host.drain" is about a host, all that belong to a project about a cluster. */
function Subject(props: { of: Job & { subject?: string; groupId?: string } }) {
  const { of: job } = props;
  if (job.kind.startsWith("host.")) return <a href={to("hosts", job.subjectName)}>{job.subjectName}</a>;
  return job.groupId && job.subject ? <a href={to("clusters", job.subject)}>{job.subjectName}</a> : <>{job.subjectName}</>;
}

export function Jobs() {
  const { query } = useWorld().place;
  const state = query.get("state") ?? "";
  const jobs = usePolled("jobs" + state, AGAIN_MS, (signal) => listAll<Job>("/jobs", { signal, query: { state } }));
  return (
    <Screen title={say("operator.jobs")}>
      <div class="filters"><Choose query={query} name="state" label={say("operations.state")} any={say("jobs.open")} of={STATES.map((one) => [one, one === "ALL" ? say("jobs.all") : words(one)])} /></div>
      <Show of={jobs}>
        {(page) => page.results.length === 0 ? <Empty>{say("jobs.none")}</Empty> : (
          <Table label={say("operator.jobs")} rows={page.results} keyOf={(one) => one.id} columns={[
            { title: say("activity.what"), show: (one) => <a href={to("jobs", one.id)}>{words(one.kind)}</a> },
            { title: say("jobs.subject"), show: (one) => <Subject of={one} /> },
            { title: say("clusters.state"), show: (one) => <><State of={one.state} />{one.overdueAt && <> <State of="OVERDUE" /></>}</> },
            { title: say("operation.now"), show: (one) => one.failure ?? one.waitsFor ?? one.currentStep ?? "" },
            { title: say("operation.steps"), show: (one) => <span class="number">{say("jobs.step", { step: one.stepNumber, count: one.stepCount })}</span> },
            { title: say("activity.when"), show: (one) => whenAgo(one.createdAt) },
          ]} />
        )}
      </Show>
      <Command of={{ cli: { words: ["fleet", "jobs", "list"], flags: { state } }, path: "/jobs", query: { state } }} />
    </Screen>
  );
}
