/* SPDX-License-Identifier: Apache-2.0 */
/* One cluster as operators see it: where its members are, how they are, and what its jobs wait for. */
import { ask } from "../api";
import { usePolled } from "../frame";
import { say, whenAgo, words } from "../messages";
import { to } from "../route";
import { Empty, Screen, Show, State } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";
import { AGAIN_MS, bytes, type Cluster, HostLink, type Job } from "./parts";

interface Member {
  name: string;
  host: string;
  zone: string;
  role: string;
  desired: string;
  unit: string;
  lagBytes: number | null;
  version: string | null;
  problem: string | null;
  reportedAt: string | null;
}

interface Whole extends Cluster {
  memberList: Member[];
  jobList: Job[];
}

export function OneCluster(props: { id: string }) {
  const path = `/clusters/${encodeURIComponent(props.id)}`;
  const cluster = usePolled(path, AGAIN_MS, (signal) => ask<Whole>(path, { signal }));
  return (
    <Screen title={cluster.state === "there" ? cluster.value.name : props.id} up={[say("operator.fleet"), to("clusters")]}>
      <Show of={cluster}>
        {(one) => (
          <>
            <p class="facts">
              <State of={one.state} />{one.change && one.change !== "IDLE" && <State of={one.change} />}
              <a href={to("organizations", one.orgId)}>{say("one.owner", { organization: one.organization, project: one.project })}</a><span>PostgreSQL {one.version}</span>
              <span>{say("one.members", { count: `${one.members} × ${one.size}`, where: one.region.replace(/,/g, ", ") })}</span><span>{one.provenAt ? say("one.proven", { when: whenAgo(one.provenAt) }) : say("one.unproven")}</span>
            </p>
            {one.problem && <p class="trouble">{one.problem}</p>}
            <section>
              <h2>{say("cluster.members")}</h2>
              <Table label={say("cluster.members")} rows={one.memberList} keyOf={(member) => member.name} columns={[
                { title: say("cluster.member"), show: (member) => member.name },
                { title: say("one.host"), show: (member) => <HostLink name={member.host} /> },
                { title: say("one.zone"), show: (member) => member.zone },
                { title: say("cluster.role"), show: (member) => <State of={member.role} /> },
                { title: say("host.runs"), show: (member) => <State of={member.unit} /> },
                { title: say("fleet.lag"), show: (member) => <span class="number">{bytes(member.lagBytes)}</span> },
                { title: say("one.reported"), show: (member) => member.reportedAt ? whenAgo(member.reportedAt) : say("fleet.never") },
                { title: say("one.problem"), show: (member) => member.problem ?? "" },
              ]} />
            </section>
            <section>
              <h2>{say("one.jobs")}</h2>
              {one.jobList.length === 0 ? <Empty>{say("one.noJobs")}</Empty> : (
                <Table label={say("one.jobs")} rows={one.jobList} keyOf={(job) => job.id} columns={[
                  { title: say("activity.what"), show: (job) => <a href={to("jobs", job.id)}>{words(job.kind)}</a> },
                  { title: say("fleet.state"), show: (job) => <State of={job.state} /> },
                  { title: say("operation.now"), show: (job) => job.waitsFor ?? job.currentStep ?? "" },
                  { title: say("activity.when"), show: (job) => whenAgo(job.createdAt) },
                ]} />
              )}
            </section>
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["fleet", "clusters", "show", props.id] }, path }} />
    </Screen>
  );
}
