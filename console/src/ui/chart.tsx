/* SPDX-License-Identifier: Apache-2.0 */
/* A chart of points over time, with what happened drawn over it. All charts of a screen share one cursor. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

export interface Line {
  label: string;
  points: { timestamp: string; value: number | null }[];
}

export interface Mark {
  at: string;
  label: string;
}

const TONES = ["--accent", "--busy", "--good", "--bad"];

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function drawMarks(marks: Mark[]) {
  return (plot: uPlot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = colour("--bad");
    ctx.setLineDash([4, 4]);
    for (const mark of marks) {
      const x = plot.valToPos(Date.parse(mark.at) / 1000, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  };
}

export default function Chart(props: { title: string; lines: Line[]; marks: Mark[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current || props.lines.length === 0) return;
    const times = props.lines[0]!.points.map((point) => Date.parse(point.timestamp) / 1000);
    const data = [times, ...props.lines.map((line) => line.points.map((point) => point.value))] as uPlot.AlignedData;
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line") } };
    const plot = new uPlot({
      width: place.current.clientWidth, height: 180, cursor: { sync: { key: "metrics" } }, axes: [axis, { ...axis, size: 70 }],
      series: [{}, ...props.lines.map((line, i) => ({ label: line.label, stroke: colour(TONES[i % TONES.length]!), width: 2, spanGaps: false }))],
      hooks: { draw: [drawMarks(props.marks)] },
    }, data, place.current);
    const resized = new ResizeObserver(() => place.current && plot.setSize({ width: place.current.clientWidth, height: 180 }));
    resized.observe(place.current);
    return () => (resized.disconnect(), plot.destroy());
  }, [props.lines, props.marks]);
  /* For who cannot see it: the last value of each line. */
  const last = props.lines.map((line) => `${line.label}: ${line.points.findLast((point) => point.value !== null)?.value ?? "–"}`).join(", ");
  return <figure><figcaption>{props.title}</figcaption><div class="chart" ref={place} role="img" aria-label={`${props.title}. ${last}`} /></figure>;
}
