/* SPDX-License-Identifier: Apache-2.0 */
/* How far a piece of work is: its steps, how long each took, and what it waits for. */
import { say, span, words } from "../messages";
import { State } from "./basics";

export interface Work {
  kind: string;
  percent?: number;
  waitsFor?: string | null;
  failure?: string | null;
  steps: { name: string; description: string; state: string; startedAt?: string; finishedAt?: string }[];
}

export function lasted(one: { startedAt?: string | null; finishedAt?: string | null }): string {
  if (!one.startedAt) return "";
  return span((one.finishedAt ? Date.parse(one.finishedAt) : Date.now()) - Date.parse(one.startedAt));
}

export function Steps(props: { of: Work }) {
  const { of: operation } = props;
  return (
    <div class="operation">
      <progress max={100} value={operation.percent ?? 0} aria-label={words(operation.kind)} />
      {operation.waitsFor && <p class="waits">{say("operation.waits", { what: operation.waitsFor })}</p>}
      {operation.failure && <p class="trouble">{say("operation.failed", { why: operation.failure })}</p>}
      <ol class="steps">
        {operation.steps.map((step) => (
          <li key={step.name} class={step.state.toLowerCase()}><span class="what">{step.description}</span> <span class="quiet small">{lasted(step)}</span> <State of={step.state} /></li>
        ))}
      </ol>
    </div>
  );
}
