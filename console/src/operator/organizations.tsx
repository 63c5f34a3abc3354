/* SPDX-License-Identifier: Apache-2.0 */
/* Organizations: what is locked and why, what is not paid, and rate limits of their own. */
import { useState } from "preact/hooks";
import { ask, listAll } from "../api";
import { change } from "../confirmed";
import { usePolled } from "../frame";
import { day, money, say, whenAgo } from "../messages";
import { to } from "../route";
import { AskAct } from "../ui/ask";
import { Empty, Screen, Show, State } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";
import { AGAIN_MS, type Owner, usePaused } from "./parts";

interface Invoice {
  invoiceId: string;
  orgId: string;
  name: string;
  month: string;
  amountCents: number;
  due: string | null;
}

interface Limit {
  endpointSetId: string;
  capacity: number;
  refillRate: number;
}

function Invoices(props: { of: Invoice[]; done: () => void; isOfOne?: boolean }) {
  const pay = (one: Invoice) => (
    <AskAct operation="payInvoice" in={{}} quiet small label={say("organizations.pay")} of={`${one.name} ${one.month}`} title={`${one.name}, ${one.month}: ${money(one.amountCents)}`} fields={[{ name: "note", label: say("organizations.note"), hint: say("organizations.noteHint"), optional: true }]}
      send={({ note }) => change(`/invoices/${encodeURIComponent(one.invoiceId)}:pay`, { method: "POST", body: { note: note ?? "" } }).then(() => undefined)} done={props.done} />
  );
  if (props.of.length === 0) return <Empty>{say("organizations.paid")}</Empty>;
  return (
    <Table label={say("organizations.unpaid")} rows={props.of} keyOf={(one) => one.invoiceId} columns={[
      { title: say("operator.organization"), show: (one) => props.isOfOne ? one.name : <a href={to("organizations", one.orgId)}>{one.name}</a> },
      { title: say("invoices.month"), show: (one) => one.month },
      { title: say("organizations.amount"), show: (one) => <span class="number">{money(one.amountCents)}</span> },
      { title: say("organizations.due"), show: (one) => one.due ? day(one.due, { dateStyle: "medium" }) : "–" },
      { title: "", show: pay },
    ]} />
  );
}

export function Organizations() {
  const [text, setText] = useState("");
  const name = usePaused(text);
  const all = usePolled("organizations" + name, 2 * AGAIN_MS, async (signal) => {
    const [organizations, invoices] = await Promise.all([listAll<Owner>("/organizations", { signal, query: { name } }), listAll<Invoice>("/invoices", { signal })]);
    return { organizations: organizations.results, invoices: invoices.results };
  });
  const again = () => all.state === "there" && all.again();
  return (
    <Screen title={say("operator.organizations")}>
      <div class="filters"><input type="search" aria-label={say("organizations.filter")} placeholder={say("organizations.filter")} maxLength={64} value={text} onInput={(event) => setText(event.currentTarget.value)} /></div>
      <Show of={all}>
        {({ organizations, invoices }) => (
          <>
            <section>
              {organizations.length === 0 ? <Empty>{say("organizations.none")}</Empty> : (
                <Table label={say("operator.organizations")} rows={organizations} keyOf={(one) => one.id} columns={[
                  { title: say("clusters.name"), show: (one) => <a href={to("organizations", one.id)}>{one.name}</a> },
                  { title: say("clusters.state"), show: (one) => <State of={one.locked ? "LOCKED" : "NOT LOCKED"} /> },
                  { title: say("organizations.projects"), show: (one) => <span class="number">{one.projects}</span> },
                  { title: say("clusters.title"), show: (one) => <span class="number">{one.clusters}</span> },
                  { title: say("home.created"), show: (one) => whenAgo(one.createdAt) },
                ]} />
              )}
            </section>
            <section><h2>{say("organizations.unpaid")}</h2><Invoices of={invoices} done={again} /></section>
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["fleet", "organizations", "list"] }, path: "/organizations" }} />
    </Screen>
  );
}

/* ---- One of them ---- */
function Limits(props: { id: string; of: Limit[]; done: () => void }) {
  const { id } = props;
  return (
    <section>
      <div class="screen">
        <h2>{say("organizations.limits")}</h2>
        <AskAct operation="setLimit" in={{}} quiet small label={say("organizations.setLimit")} done={props.done}
          fields={[{ name: "set", label: say("organizations.set"), hint: say("organizations.setHint") }, { name: "capacity", label: say("organizations.capacity"), type: "number" }, { name: "refill", label: say("organizations.refill"), type: "number" }]}
          send={({ set, capacity, refill }) => change(`/limits/org/${encodeURIComponent(id)}/${encodeURIComponent(set!)}`, { method: "PUT", body: { capacity: Number(capacity), refillRate: Number(refill) } }).then(() => undefined)} />
      </div>
      {props.of.length === 0 ? <Empty>{say("organizations.noLimits")}</Empty> : (
        <Table label={say("organizations.limits")} rows={props.of} keyOf={(one) => one.endpointSetId} columns={[
          { title: say("organizations.set"), show: (one) => one.endpointSetId },
          { title: say("organizations.capacity"), show: (one) => <span class="number">{one.capacity}</span> },
          { title: say("organizations.refill"), show: (one) => <span class="number">{one.refillRate}</span> },
          { title: "", show: (one) => (
            <AskAct operation="resetLimit" in={{}} quiet small label={say("organizations.reset")} of={one.endpointSetId} title={say("organizations.resetTitle", { name: one.endpointSetId })} fields={[]} done={props.done}
              send={() => change(`/limits/org/${encodeURIComponent(id)}/${encodeURIComponent(one.endpointSetId)}`, { method: "DELETE" }).then(() => undefined)} />
          ) },
        ]} />
      )}
    </section>
  );
}

export function Organization(props: { id: string }) {
  const { id } = props;
  const path = `/organizations/${encodeURIComponent(id)}`;
  const all = usePolled(path, 2 * AGAIN_MS, async (signal) => {
    const [organization, invoices, limits] = await Promise.all([ask<Owner>(path, { signal }), listAll<Invoice>("/invoices", { signal }), listAll<Limit>("/limits", { signal, query: { owner: id } })]);
    return { organization, invoices: invoices.results.filter((one) => one.orgId === id), limits: limits.results };
  });
  const again = () => all.state === "there" && all.again();
  const found = all.state === "there" ? all.value.organization : undefined;
  const actions = found && (
    <>
      <AskAct operation="agreeOrganization" in={{}} quiet label={say("organizations.agree")} text={say("organizations.agreeText")} fields={[{ name: "until", label: say("organizations.until"), type: "date" }]} done={again}
        send={({ until }) => change(`${path}:agree`, { method: "POST", body: { until: `${until}T00:00:00Z` } }).then(() => undefined)} />
      {found.locked
        ? <AskAct operation="unlockOrganization" in={{}} label={say("organizations.unlock")} fields={[]} done={again} send={() => change(`${path}:unlock`, { method: "POST" }).then(() => undefined)} />
        : <AskAct operation="lockOrganization" in={{}} danger label={say("organizations.lock")} text={say("organizations.lockText")} fields={[{ name: "reason", label: say("organizations.reason") }]} done={again}
            send={({ reason }) => change(`${path}:lock`, { method: "POST", body: { reason } }).then(() => undefined)} />}
    </>
  );
  return (
    <Screen title={found?.name ?? id} up={[say("operator.organizations"), to("organizations")]} actions={actions}>
      <Show of={all}>
        {({ organization, invoices, limits }) => (
          <>
            <p class="facts">
              <State of={organization.locked ? "LOCKED" : "NOT LOCKED"} /><span>{say("organizations.counts", { projects: organization.projects, clusters: organization.clusters })}</span>
              {organization.paymentAgreedUntil && <span>{say("organizations.agreed", { when: day(organization.paymentAgreedUntil, { dateStyle: "medium" }) })}</span>}
              <a href={`${to("clusters")}?organization=${encodeURIComponent(id)}`}>{say("organizations.clusters")}</a>
            </p>
            {organization.locked && <p class="trouble">{say("organizations.since", { when: whenAgo(organization.lockedAt), why: organization.lockReason ?? "" })}</p>}
            <section><h2>{say("organizations.unpaid")}</h2><Invoices of={invoices} done={again} isOfOne /></section>
            <Limits id={id} of={limits} done={again} />
          </>
        )}
      </Show>
      <Command of={{ cli: { words: ["fleet", "organizations", "show", id] }, path }} />
    </Screen>
  );
}
