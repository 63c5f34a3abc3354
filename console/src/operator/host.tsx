/* SPDX-License-Identifier: Apache-2.0 */
/* One host: what is on it, how full it is, and how it is emptied. */
import { useState } from "preact/hooks";
import { ask, listAll } from "../api";
import { change } from "../confirmed";
import { Act, usePolled } from "../frame";
import { day, say, whenAgo } from "../messages";
import { to } from "../route";
import { Empty, Screen, Show, State, Trouble } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";
import { Drain } from "./drain";
import { JobSteps } from "./job";
import { AGAIN_MS, BUSY_MS, bytes, Full, type Host as Document, isSilent, type Job, silence } from "./parts";

interface Member {
  id: string;
  name: string;
  clusterId: string;
  clusterName: string;
  role: string;
  unit: string;
  size: string;
  lagBytes: number | null;
  problem: string | null;
}

interface Seat {
  id: string;
  stanza: string;
  clusterId: string;
  clusterName: string;
  objectStore: string | null;
  reservedGb: number;
  unit: string;
  lagBytes: number | null;
  windowFrom: string | null;
  windowTo: string | null;
  problem: string | null;
}

interface Whole extends Document {
  memberList: Member[];
  seatList: Seat[];
}

/* Of what there is: processors, memory, disk, addresses. */
function Room(props: { of: Document }) {
  const { of: host } = props;
  const rows: [title: string, used: number, all: number, text: string][] = [
    [say("host.cpus"), host.usedCpus, host.cpus, say("host.of", { used: host.usedCpus, all: host.cpus })],
    [say("host.memory"), host.usedMemoryMb, host.memoryMb, say("host.gb", { used: Math.round(host.usedMemoryMb / 1024), all: Math.round(host.memoryMb / 1024) })],
    [say("host.disk"), host.usedDiskGb, host.diskGb, say("host.gb", { used: host.usedDiskGb, all: host.diskGb })],
    [say("host.addresses"), host.addresses - host.freeAddresses, host.addresses, say("host.of", { used: host.addresses - host.freeAddresses, all: host.addresses })],
  ];
  return (
    <section class="card room">
      <dl>
        {rows.map(([title, used, all, text]) => (
          <div key={title}><dt>{title}</dt><dd><Full percent={all > 0 ? Math.round((100 * used) / all) : null} of={title} /> <span class="quiet small">{text}</span></dd></div>
        ))}
      </dl>
    </section>
  );
}

/* While it is emptied: how much is left, and what the job waits for. */
function Emptying(props: { host: Whole }) {
  const { host } = props;
  const jobs = usePolled("drain" + host.name, BUSY_MS, async (signal) => (await listAll<Job & { subject?: string }>("/jobs", { signal })).results.filter((one) => one.kind === "host.drain" && one.subjectName === host.name));
  const left = host.members + host.seats;
  return (
    <section class="card" aria-live="polite">
      <h2>{left === 0 ? say("drain.empty") : say("drain.left", { left: [host.members > 0 && say("drain.members", { count: host.members }), host.seats > 0 && say("drain.backups", { count: host.seats })].filter(Boolean).join(", ") })}</h2>
      {jobs.state === "there" && jobs.value.map((one) => (
        <div key={one.id}><p><a href={to("jobs", one.id)}>{say("drain.job")}</a> <State of={one.state} /></p><JobSteps id={one.id} /></div>
      ))}
    </section>
  );
}

function Facts(props: { of: Document }) {
  const { of: host } = props;
  return (
    <>
      <p class="facts">
        <State of={host.state} />{isSilent(host) && <State of="SILENT" />}<span>{host.purpose.toLowerCase()}</span><span>{host.provider} {host.region}, {host.zone}</span><span>{host.address}</span>
        <span>{say("one.reported")}: {host.silentS === null ? silence(host) : say("hosts.ago", { time: silence(host) })}</span>
        <span>{host.agentVersion ? say("host.versions", { agent: host.agentVersion, postgres: host.postgresVersions.join(", ") }) : say("host.noVersions")}</span>
      </p>
      {host.seenVersion < host.goalVersion && <p class="waits">{say("host.behind", { seen: host.seenVersion, goal: host.goalVersion })}</p>}
      {host.strays.length > 0 && <p class="trouble">{say("host.strays", { units: host.strays.join(", ") })}</p>}
    </>
  );
}

export function Host(props: { name: string }) {
  const { name } = props;
  const [draining, setDraining] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const path = `/hosts/${encodeURIComponent(name)}`;
  const host = usePolled(path, AGAIN_MS, (signal) => ask<Whole>(path, { signal }));
  const again = () => host.state === "there" && host.again();
  const activate = () => void change(`${path}:activate`, { method: "POST" }).then(() => (setProblem(undefined), again()), setProblem);
  const actions = host.state === "there" && (
    <>
      {host.value.state !== "ACTIVE" && host.value.state !== "REMOVED" && <Act operation="activateHost" in={{}} quiet act={activate}>{say("host.activate")}</Act>}
      {host.value.state === "ACTIVE" && <Act operation="drainHost" in={{}} danger act={() => setDraining(true)}>{say("host.drain")}</Act>}
    </>
  );
  return (
    <Screen title={name} up={[say("operator.hosts"), to("hosts")]} actions={actions}>
      {problem !== undefined && <Trouble problem={problem} />}
      <Show of={host}>
        {(one) => (
          <>
            <Facts of={one} />
            {(one.state === "DRAINING" || one.state === "DRAINED") && <Emptying host={one} />}
            <Room of={one} />
            <section>
              <h2>{say("cluster.members")}</h2>
              {one.memberList.length === 0 ? <Empty>{say("host.noMembers")}</Empty> : (
                <Table label={say("cluster.members")} rows={one.memberList} keyOf={(member) => member.id} columns={[
                  { title: say("host.member"), show: (member) => member.name },
                  { title: say("drain.cluster"), show: (member) => <a href={to("clusters", member.clusterId)}>{member.clusterName}</a> },
                  { title: say("cluster.role"), show: (member) => <State of={member.role} /> },
                  { title: say("host.runs"), show: (member) => <State of={member.unit} /> },
                  { title: say("fleet.size"), show: (member) => member.size },
                  { title: say("fleet.lag"), show: (member) => <span class="number">{bytes(member.lagBytes)}</span> },
                  { title: say("one.problem"), show: (member) => member.problem ?? "" },
                ]} />
              )}
            </section>
            {one.seatList.length > 0 && (
              <section>
                <h2>{say("host.seats")}</h2>
                <Table label={say("host.seats")} rows={one.seatList} keyOf={(seat) => seat.id} columns={[
                  { title: say("host.stanza"), show: (seat) => seat.stanza },
                  { title: say("drain.cluster"), show: (seat) => <a href={to("clusters", seat.clusterId)}>{seat.clusterName}</a> },
                  { title: say("host.runs"), show: (seat) => <State of={seat.unit} /> },
                  { title: say("fleet.lag"), show: (seat) => <span class="number">{bytes(seat.lagBytes)}</span> },
                  { title: say("host.window"), show: (seat) => seat.windowTo ? <span title={seat.windowFrom ? day(seat.windowFrom) : ""}>{whenAgo(seat.windowTo)}</span> : say("fleet.never") },
                  { title: say("host.reserved"), show: (seat) => seat.objectStore ?? `${seat.reservedGb} GiB` },
                  { title: say("one.problem"), show: (seat) => seat.problem ?? "" },
                ]} />
              </section>
            )}
          </>
        )}
      </Show>
      {draining && <Drain host={name} close={() => setDraining(false)} done={() => (setDraining(false), again())} />}
      <Command of={{ cli: { words: ["fleet", "hosts", "show", name] }, path }} />
    </Screen>
  );
}
