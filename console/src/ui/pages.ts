/* SPDX-License-Identifier: Apache-2.0 */
/* A list without end: the first rows at once, others as somebody scrolls to them or one page after the other. What is new comes in without reading the rest again. */
import { useEffect, useRef, useState } from "preact/hooks";
import { list, PAGE_SIZE, type Sent } from "../api";

export interface Pages<T> {
  rows: T[] | undefined; /* undefined: the first page is still being read */
  total: number;
  problem: unknown;
  more: () => void;
  again: () => void;
}

interface Read<T> {
  key: string;
  rows?: T[];
  total: number;
  next: number; /* page; when rows come in before it, it begins with some that are known already, and none is left out */
  problem?: unknown;
}

/* How long lists are read. pageSize: smaller pages show something sooner; all: everything, and not only what is scrolled to; keyOf: for what has no id. */
export function usePages<T>(path: string, query: NonNullable<Sent["query"]>, { pageSize = PAGE_SIZE, all = false, keyOf = (one: T) => (one as { id: string }).id } = {}): Pages<T> {
  const key = path + JSON.stringify(query);
  const [state, setState] = useState<Read<T>>({ key: "", total: 0, next: 1 });
  const busy = useRef("");
  const wanted = useRef(key);
  wanted.current = key;
  const known: Read<T> = state.key === key ? state : { key, total: 0, next: 1 };
  const read = async (pageNum: number) => {
    const asked = `${pageNum} ${key}`, keep = known.rows ?? [];
    if (busy.current === asked) return;
    busy.current = asked;
    let next: Read<T>;
    try {
      const page = await list<T>(path, { query: { ...query, pageNum, itemsPerPage: pageSize } });
      const isFirst = pageNum === 1, seen = new Set((isFirst ? page.results : keep).map(keyOf));
      const other = (isFirst ? keep : page.results).filter((one) => !seen.has(keyOf(one)));
      next = { key, rows: isFirst ? [...page.results, ...other] : [...keep, ...other], total: page.totalCount, next: Math.max(known.next, pageNum + 1) };
    } catch (problem) {
      next = { ...known, rows: keep, problem };
    }
    if (busy.current === asked) busy.current = "";
    if (wanted.current === key) setState(next);
  };
  useEffect(() => void read(1), [key]);
  const hasMore = known.rows !== undefined && known.problem === undefined && (known.next - 1) * pageSize < known.total;
  const more = () => hasMore && void read(known.next);
  useEffect(() => void (all && more()), [all, known.rows]);
  return { rows: known.rows, total: known.total, problem: known.problem, more, again: () => void read(1) };
}
