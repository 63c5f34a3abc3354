/* SPDX-License-Identifier: Apache-2.0 */
/* Emptying a host: first what would happen, then the host's name, then the passkey if it was not shown lately. */
import { ask } from "../api";
import { change } from "../confirmed";
import { say } from "../messages";
import { ConfirmByName } from "../ui/ask";
import { Show, State, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";

interface Move {
  member: string;
  cluster: string;
  project: string;
  role: string;
  to: string | null;
  switchover: boolean;
  waitsFor: string | null;
}

interface Plan {
  moving: number;
  waiting: number;
  switchovers: number;
  moves: Move[];
}

/* What has to wait is seen first. */
function Moves(props: { of: Plan }) {
  const { of: plan } = props;
  if (plan.moves.length === 0) return <p class="fine">{say("drain.nothing")}</p>;
  const rows = [...plan.moves].sort((a, b) => Number(a.to !== null) - Number(b.to !== null));
  return (
    <>
      <p class={plan.waiting > 0 ? "waits" : "fine"}>{say("drain.planned", { moving: plan.moving, waiting: plan.waiting, switchovers: plan.switchovers })}</p>
      <div class="plan" tabIndex={0} role="region" aria-label={say("drain.plan")}>
        <Table label={say("drain.plan")} rows={rows} isWhole keyOf={(one) => one.member} columns={[
          { title: say("host.member"), show: (one) => one.member },
          { title: say("drain.cluster"), show: (one) => `${one.project}/${one.cluster}` },
          { title: say("cluster.role"), show: (one) => <><State of={one.role} />{one.switchover && <> <span class="quiet small">{say("drain.switchover")}</span></>}</> },
          { title: say("drain.to"), show: (one) => one.to ?? say("drain.nowhere") },
          { title: say("operation.now"), show: (one) => one.waitsFor ? say("drain.waits", { what: one.waitsFor }) : "" },
        ]} />
      </div>
    </>
  );
}

export function Drain(props: { host: string; close: () => void; done: () => void }) {
  const { host } = props;
  const path = `/hosts/${encodeURIComponent(host)}:drain`;
  const plan = useLoaded(path, (signal) => ask<Plan>(path, { method: "POST", query: { dryRun: true }, signal }));
  return (
    <ConfirmByName title={say("drain.title", { host })} ask={say("drain.ask")} name={host} confirm={say("drain.confirm")} isReady={plan.state === "there"} close={props.close} send={() => change(path, { method: "POST" }).then(props.done)}>
      <Show of={plan}>{(known) => <Moves of={known} />}</Show>
      <p>{say("drain.text")}</p>
      <Command of={{ cli: { words: ["fleet", "hosts", "drain", host], flags: { dryRun: true } }, method: "POST", path, query: { dryRun: true } }} />
    </ConfirmByName>
  );
}
