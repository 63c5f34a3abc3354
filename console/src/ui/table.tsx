/* SPDX-License-Identifier: Apache-2.0 */
/* A table of any length: only what is seen is drawn, so that thousands of rows stay smooth. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const ROW_PX = 40;
const MORE_ROWS = 10; /* above and below what is seen */
const ALL_UP_TO = 100; /* fewer are drawn as they are */

export interface Column<T> {
  title: string;
  show: (row: T) => ComponentChildren;
}

export function Table<T>(props: { label: string; columns: Column<T>[]; rows: T[]; keyOf: (row: T) => string; end?: () => void /* somebody is near the last row */; isWhole?: boolean /* in something that scrolls by itself */ }) {
  const { rows, columns } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const [first, setFirst] = useState(0);
  const end = useRef(props.end);
  end.current = props.end;
  const isLong = rows.length > ALL_UP_TO && !props.isWhole;
  const seen = Math.ceil(innerHeight / ROW_PX) + 3 * MORE_ROWS;
  useEffect(() => {
    if (!isLong) return;
    const scrolled = () => {
      const top = Math.floor(-(body.current?.getBoundingClientRect().top ?? 0) / ROW_PX);
      /* In steps: not every pixel draws again. */
      setFirst(Math.max(0, Math.floor(top / MORE_ROWS) * MORE_ROWS - MORE_ROWS));
      if (top + 2 * seen > rows.length) end.current?.();
    };
    addEventListener("scroll", scrolled, { passive: true });
    return () => removeEventListener("scroll", scrolled);
  }, [isLong, rows.length]);
  const from = isLong ? Math.min(first, Math.max(0, rows.length - seen)) : 0;
  const shown = isLong ? rows.slice(from, from + seen) : rows;
  const space = (count: number) => count > 0 && <tr aria-hidden="true"><td class="space" colSpan={columns.length} style={{ height: `${count * ROW_PX}px` }} /></tr>;
  return (
    <div class="wide">
      <table aria-label={props.label} aria-rowcount={rows.length + 1} class={isLong ? "long" : undefined}>
        <thead><tr>{columns.map((column) => column.title ? <th scope="col" key={column.title}>{column.title}</th> : <td key="actions" />)}</tr></thead>
        <tbody ref={body}>
          {space(from)}
          {shown.map((row, i) => (
            <tr key={props.keyOf(row)} aria-rowindex={from + i + 2}>
              {columns.map((column) => <td key={column.title} data-title={column.title}>{column.show(row)}</td>)}
            </tr>
          ))}
          {space(rows.length - from - shown.length)}
        </tbody>
      </table>
    </div>
  );
}
