/* SPDX-License-Identifier: Apache-2.0 */
/* What several screens of operators know of the fleet. */
import { useEffect, useState } from "preact/hooks";
import { ask } from "../api";
import { say, span } from "../messages";
import { go, to } from "../route";
import type { Work } from "../ui/steps";

/* How often screens ask again. Agents report every ten seconds. */
export const AGAIN_MS = 5000;
export const BUSY_MS = 2000;
/* As the list of clusters has it: whoever says nothing for so long is not well. */
export const SILENT_S = 90;

export interface Cluster {
  id: string;
  name: string;
  state: string;
  project: string;
  organization: string;
  orgId: string;
  primaryHost: string | null;
  members: number;
  unwell: number;
  lagBytes: number | null;
  version: string;
  size: string;
  region: string;
  provenAt: string | null;
  change: string | null;
  problem: string | null;
  createdAt: string;
}

export interface Host {
  id: string;
  name: string;
  state: string;
  purpose: string;
  provider: string;
  region: string;
  zone: string;
  members: number;
  seats: number;
  usedCpus: number;
  cpus: number;
  usedMemoryMb: number;
  memoryMb: number;
  usedDiskGb: number;
  diskGb: number;
  fullPercent: number | null;
  addresses: number;
  freeAddresses: number;
  silentS: number | null;
  strays: string[];
  address: string | null;
  goalVersion: number;
  seenVersion: number;
  joinedAt: string;
  lastSeenAt: string | null;
  agentVersion: string | null;
  postgresVersions: string[];
}

export interface Job extends Omit<Work, "steps" | "percent"> {
  id: string;
  subjectName: string;
  state: string;
  stepNumber: number;
  stepCount: number;
  currentStep?: string;
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
  nextRunAt?: string;
  overdueAt?: string;
  failures?: number;
  try?: number;
}

export interface Update {
  id: string;
  state: string;
  problem?: string;
  total: number;
  done: number;
  running: number;
  waiting: number;
  failed: number;
  skipped: number;
  createdBy: string;
  createdAt: string;
  finishedAt?: string;
}

/* One of those that an update is of. */
export interface UpdatedCluster {
  name: string;
  state: string;
  isCanary: boolean;
  fromVersion?: string;
  toVersion?: string;
  members: number;
  membersDone: number;
  problem?: string;
  waitsFor?: string;
  clusterId: string;
  jobId?: string;
}

/* An organization. */
export interface Owner {
  id: string;
  name: string;
  locked: boolean;
  lockReason?: string;
  lockedAt?: string;
  paymentAgreedUntil?: string;
  projects: number;
  clusters: number;
  createdAt: string;
}

/* What is removed is kept for the record, and not looked at. */
export const isThere = (host: Host) => host.state !== "REMOVED";
export const isSilent = (host: Host) => host.silentS === null || host.silentS > SILENT_S;

export function bytes(count: number | null): string {
  if (count === null) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = count, at = 0;
  for (; value >= 1024 && at < units.length - 1; at++) value /= 1024;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

export function HostLink(props: { name: string | null }) {
  return props.name === null ? <>–</> : <a href={to("hosts", props.name)}>{props.name}</a>;
}

export function Full(props: { percent: number | null; of: string }) {
  const { percent } = props;
  return percent === null ? <>–</> : <span class="number"><meter min={0} max={100} high={85} optimum={0} value={percent} aria-label={`${props.of}: ${percent}%`} /> {percent}%</span>;
}

export function silence(host: Host): string {
  if (host.silentS === null) return say("hosts.never");
  return host.silentS <= SILENT_S ? `${host.silentS} s` : span(host.silentS * 1000);
}

const TYPED_MS = 200;

/* Typed letters become a question when somebody pauses. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

/* Filters are in the address, so that a list can be sent to somebody as it is seen. */
export function setQuery(query: URLSearchParams, name: string, value: string): void {
  const next = new URLSearchParams(query);
  if (value === "") next.delete(name); else next.set(name, value);
  const text = next.toString();
  go(location.pathname + (text ? "?" + text : ""), true);
}

/* A list of the query's: one of these, or any. */
export function Choose(props: { query: URLSearchParams; name: string; label: string; any: string; of: [value: string, label: string][] }) {
  const { query, name, of } = props;
  const value = query.get(name) ?? "";
  const isKnown = value === "" || of.some(([one]) => one === value);
  return (
    <select aria-label={props.label} value={value} onChange={(event) => setQuery(query, name, event.currentTarget.value)}>
      <option value="">{props.any}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {of.map(([one, label]) => <option key={one} value={one}>{label}</option>)}
    </select>
  );
}

export const oneJob = (id: string, signal: AbortSignal) => ask<Job & { steps: Work["steps"]; history: Tried[] }>(`/jobs/${encodeURIComponent(id)}`, { signal });

export interface Tried {
  number: number;
  at: string;
  step: string;
  try: number;
  outcome: string;
  detail?: string;
  worker?: string;
}
