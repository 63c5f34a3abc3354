/* SPDX-License-Identifier: Apache-2.0 */
/* All hosts: how full they are, what is on them, and who is silent. */
import { listAll } from "../api";
import { Act, usePolled, useWorld } from "../frame";
import { say } from "../messages";
import { to } from "../route";
import { Empty, Screen, Show, State } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";
import { AGAIN_MS, Choose, Full, type Host, isSilent, isThere, silence } from "./parts";

export function Hosts() {
  const { query } = useWorld().place;
  const sort = query.get("sort") ?? "full";
  const hosts = usePolled("hosts" + sort, AGAIN_MS, (signal) => listAll<Host>("/hosts", { signal, query: { sort } }));
  const add = <Act operation="createToken" in={{}} quiet go={to("explorer", "createToken")}>{say("hosts.add")}</Act>;
  return (
    <Screen title={say("operator.hosts")} actions={add}>
      <div class="filters">
        <Choose query={query} name="sort" label={say("hosts.order")} any={say("hosts.byFull")} of={[["silent", say("hosts.bySilent")], ["members", say("hosts.byMembers")], ["name", say("hosts.byName")]]} />
      </div>
      <Show of={hosts}>
        {(page) => page.results.filter(isThere).length === 0 ? <Empty>{say("hosts.empty")}</Empty> : (
          <Table label={say("operator.hosts")} rows={page.results.filter(isThere)} keyOf={(one) => one.id} columns={[
            { title: say("clusters.name"), show: (one) => <a href={to("hosts", one.name)}>{one.name}</a> },
            { title: say("clusters.state"), show: (one) => <><State of={one.state} />{isSilent(one) && <> <State of="SILENT" /></>}</> },
            { title: say("hosts.full"), show: (one) => <Full percent={one.fullPercent} of={one.name} /> },
            { title: say("hosts.members"), show: (one) => <span class="number">{one.members}</span> },
            { title: say("hosts.backups"), show: (one) => <span class="number">{one.seats}</span> },
            { title: say("hosts.place"), show: (one) => `${one.provider} ${one.region}, ${one.zone}` },
            { title: say("hosts.seen"), show: (one) => one.silentS === null ? silence(one) : say("hosts.ago", { time: silence(one) }) },
          ]} />
        )}
      </Show>
      <Command of={{ cli: { words: ["fleet", "hosts", "list"], flags: { sort } }, path: "/hosts", query: { sort } }} />
    </Screen>
  );
}
