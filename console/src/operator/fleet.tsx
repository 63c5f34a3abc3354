/* SPDX-License-Identifier: Apache-2.0 */
/* The clusters of all organizations, the worst first: narrowed and sorted by the service, so that a thousand of them are as quick as ten. */
import { useEffect, useRef, useState } from "preact/hooks";
import { list, listAll, type Page, PAGE_SIZE } from "../api";
import { usePolled, useWorld } from "../frame";
import { day, type Message, say, whenAgo } from "../messages";
import { go, to } from "../route";
import { Empty, Screen, Show, State, useLoaded } from "../ui/basics";
import { Command } from "../ui/command";
import { Table } from "../ui/table";
import { AGAIN_MS, bytes, Choose, type Cluster, type Host, HostLink, setQuery, usePaused } from "./parts";

const STATES = ["NO_PRIMARY", "SILENT", "DEGRADED", "STARTING", "HEALTHY", "STOPPED"];
const LAGS = [1 << 20, 16 << 20, 256 << 20, 2 ** 30];
const UNPROVEN_DAYS = [1, 7, 30, 90];
const ORDERS: [sort: string, title: Message][] = [
  ["lag", "fleet.lag"], ["proven", "fleet.proven"], ["name", "clusters.name"], ["organization", "fleet.owner"], ["region", "fleet.region"], ["size", "fleet.size"], ["version", "fleet.version"], ["primary", "fleet.primary"],
  ["members", "fleet.members"], ["created", "home.created"],
];
const FILTERS = ["search", "state", "region", "size", "version", "organization", "minLagBytes", "unprovenDays", "host", "project"];
const FIRST_ROWS = 120; /* more than a table draws at once, so that scrolling asks for the others */

const word = (text: string) => text.toLowerCase().replace(/_/g, " ");

interface Choices {
  regions: string[];
  sizes: string[];
  versions: string[];
  owners: string[];
}

/* What can be chosen. It comes beside the list, and the list does not wait for it. */
async function readChoices(signal: AbortSignal): Promise<Choices> {
  const [regions, sizes, hosts, owners] = await Promise.all([
    listAll<{ name: string }>("/regions", { signal }), listAll<{ name: string }>("/sizes", { signal }), listAll<Host>("/hosts", { signal }), listAll<{ name: string }>("/organizations", { signal }),
  ]);
  const versions = new Set(hosts.results.flatMap((one) => one.postgresVersions.flatMap((version) => [version.split(".")[0]!, version])));
  const sorted = (names: Iterable<string>) => [...new Set(names)].sort();
  return {
    regions: sorted(regions.results.map((one) => one.name)), sizes: sizes.results.map((one) => one.name),
    versions: [...versions].sort((a, b) => Number(b) - Number(a) || b.localeCompare(a)), owners: sorted(owners.results.map((one) => one.name)),
  };
}

function Facets(props: { query: URLSearchParams }) {
  const { query } = props;
  const choices = useLoaded("choices", readChoices);
  const { regions, sizes, versions, owners } = choices.state === "there" ? choices.value : { regions: [], sizes: [], versions: [], owners: [] };
  const same = (names: string[]) => names.map((one): [string, string] => [one, one]);
  return (
    <>
      <Choose query={query} name="state" label={say("fleet.state")} any={say("fleet.anyState")} of={STATES.map((one) => [one, word(one)])} />
      <Choose query={query} name="region" label={say("fleet.region")} any={say("fleet.anyRegion")} of={same(regions)} />
      <Choose query={query} name="version" label={say("fleet.version")} any={say("fleet.anyVersion")} of={same(versions)} />
      <Choose query={query} name="size" label={say("fleet.size")} any={say("fleet.anySize")} of={same(sizes)} />
      <Choose query={query} name="organization" label={say("fleet.owner")} any={say("fleet.anyOwner")} of={same(owners)} />
      <Choose query={query} name="minLagBytes" label={say("fleet.lag")} any={say("fleet.anyLag")} of={LAGS.map((one) => [String(one), say("fleet.lagMore", { size: bytes(one) })])} />
      <Choose query={query} name="unprovenDays" label={say("fleet.proven")} any={say("fleet.anyProof")} of={UNPROVEN_DAYS.map((one) => [String(one), say("fleet.unproven", { count: one })])} />
      <Choose query={query} name="sort" label={say("fleet.sort")} any={say("fleet.worst")} of={ORDERS.map(([sort, title]) => [sort, say("fleet.sorted", { what: say(title).toLowerCase() })])} />
    </>
  );
}

function Search(props: { query: URLSearchParams }) {
  const [text, setText] = useState(props.query.get("search") ?? "");
  const query = useRef(props.query);
  query.current = props.query;
  const wanted = usePaused(text);
  useEffect(() => {
    if (wanted !== (query.current.get("search") ?? "")) setQuery(query.current, "search", wanted);
  }, [wanted]);
  return <input type="search" aria-label={say("fleet.search")} placeholder={say("fleet.search")} maxLength={128} value={text} onInput={(event) => setText(event.currentTarget.value)} />;
}

/* From the first one on, in as many requests as it takes: whatever moved meanwhile is where it belongs. */
async function readRows(query: Record<string, string>, count: number, signal: AbortSignal): Promise<Page<Cluster>> {
  const size = Math.min(count, PAGE_SIZE);
  const pages = await Promise.all(Array.from({ length: Math.ceil(count / size) }, (_, i) => list<Cluster>("/clusters", { signal, query: { ...query, itemsPerPage: size, pageNum: i + 1 } })));
  const rows = new Map(pages.flatMap((page) => page.results).map((one) => [one.id, one]));
  return { results: [...rows.values()], totalCount: pages[0]!.totalCount };
}

/* As many rows as somebody has scrolled to; those of the question before stay until the new ones are there. */
function useRows(query: Record<string, string>) {
  const key = JSON.stringify(query);
  const wanted = useRef({ key, count: FIRST_ROWS });
  if (wanted.current.key !== key) wanted.current = { key, count: FIRST_ROWS };
  const rows = usePolled(key, AGAIN_MS, (signal) => readRows(query, wanted.current.count, signal));
  const last = useRef(rows);
  if (rows.state !== "loading") last.current = rows;
  const more = () => {
    const { count } = wanted.current;
    if (rows.state !== "there" || count >= rows.value.totalCount || rows.value.results.length < Math.min(count, rows.value.totalCount)) return;
    wanted.current.count = count < PAGE_SIZE ? PAGE_SIZE : count + PAGE_SIZE;
    rows.again();
  };
  return { rows: rows.state === "loading" ? last.current : rows, more };
}

function Rows(props: { of: Page<Cluster>; more: () => void }) {
  const { of: { results, totalCount }, more } = props;
  if (results.length === 0) return <Empty>{say("fleet.none")}</Empty>;
  return (
    <>
      <Table label={say("operator.fleet")} rows={results} keyOf={(one) => one.id} end={more} columns={[
        { title: say("clusters.name"), show: (one) => <a href={to("clusters", one.id)}>{one.name}</a> },
        { title: say("fleet.state"), show: (one) => <><State of={one.state} />{one.change && one.change !== "IDLE" && <> <State of={one.change} /></>}</> },
        { title: say("fleet.owner"), show: (one) => <span title={`${one.organization} / ${one.project}`}>{one.organization} / {one.project}</span> },
        { title: say("fleet.primary"), show: (one) => <HostLink name={one.primaryHost} /> },
        { title: say("fleet.lag"), show: (one) => <span class="number">{bytes(one.lagBytes)}</span> },
        { title: say("fleet.version"), show: (one) => one.version },
        { title: say("fleet.size"), show: (one) => `${one.members} × ${one.size}` },
        { title: say("fleet.region"), show: (one) => one.region.replace(/,/g, ", ") },
        { title: say("fleet.provenShort"), show: (one) => one.provenAt ? <time dateTime={one.provenAt} title={day(one.provenAt)}>{whenAgo(one.provenAt)}</time> : say("fleet.never") },
      ]} />
      {results.length < totalCount && <button type="button" class="more" onClick={more}>{say("operator.more")}</button>}
    </>
  );
}

export function Fleet() {
  const { place } = useWorld();
  const filters = Object.fromEntries(FILTERS.flatMap((name) => (place.query.get(name) ? [[name, place.query.get(name)!]] : [])));
  const query = { ...filters, sort: place.query.get("sort") ?? "state" };
  const { rows, more } = useRows(query);
  const host = filters["host"];
  const [turn, setTurn] = useState(0);
  const clear = () => (setTurn(turn + 1), go(to("clusters"), true));
  return (
    <Screen title={say("operator.fleet")} of={host && say("fleet.host", { host })}>
      <div class="filters facets" role="search">
        <Search key={turn} query={place.query} />
        <Facets query={place.query} />
        {Object.keys(filters).length > 0 && <button type="button" onClick={clear}>{say("fleet.clear")}</button>}
        {rows.state === "there" && <span class="quiet small" role="status">{say("fleet.count", { total: rows.value.totalCount })}</span>}
      </div>
      <Show of={rows}>{(page) => <Rows of={page} more={more} />}</Show>
      <Command of={{ cli: { words: ["fleet", "clusters", "list"], flags: query }, path: "/clusters", query }} />
    </Screen>
  );
}
