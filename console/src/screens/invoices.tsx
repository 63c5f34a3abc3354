/* SPDX-License-Identifier: Apache-2.0 */
/* What an organization is billed for each month. */
import { list } from "../api";
import { useMissing } from "../frame";
import { day, money, say } from "../messages";
import { site } from "../site";
import { Empty, Screen, Show, State, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";
import { Needs } from "./needs";

interface Invoice {
  id: string;
  statusName: string;
  startDate: string;
  endDate: string;
  subtotalCents: number;
  amountBilledCents: number;
}

export function Invoices(props: { organization: string }) {
  const path = `/orgs/${props.organization}/invoices`;
  const missing = useMissing("listOrgInvoices", props);
  const invoices = useLoaded(path, (signal) => missing.length > 0 ? Promise.resolve(undefined) : list<Invoice>(path, { signal }));
  return (
    <Screen title={say("nav.invoices")}>
      <Show of={invoices}>
        {(page) => page === undefined ? <Needs roles={missing} operation="listOrgInvoices" /> : page.results.length === 0 ? <Empty>{say("invoices.empty")}</Empty> : (
          <Table label={say("nav.invoices")} rows={page.results} keyOf={(one) => one.id} columns={[
            { title: say("invoices.month"), show: (one) => day(one.startDate, { year: "numeric", month: "long" }) },
            { title: say("clusters.state"), show: (one) => <State of={one.statusName} /> },
            { title: say("invoices.billed"), show: (one) => <span class="number">{money(one.statusName === "PENDING" ? one.subtotalCents : one.amountBilledCents)}</span> },
            { title: "", show: (one) => <a href={`${site.prefix}${path}/${one.id}/csv`} download={`invoice-${one.startDate.slice(0, 7)}.csv`}>{say("invoices.lines")}<span class="hidden"> {one.startDate.slice(0, 7)}</span></a> },
          ]} />
        )}
      </Show>
      <Command of={{ cli: { words: ["billing", "invoices", "list"] }, path }} />
    </Screen>
  );
}
