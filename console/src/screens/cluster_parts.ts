/* SPDX-License-Identifier: Apache-2.0 */
/* What several screens know of a cluster. */
/* Members that may become the primary, that only answer reads, and for analytics. Those for analytics may have another size than the others. */
const PARTS = ["electableSpecs", "readOnlySpecs", "analyticsSpecs"] as const;
interface Specs {
  instanceSize: string;
  nodeCount: number;
}

export interface RegionConfig extends Partial<Record<(typeof PARTS)[number], Specs>> {
  providerName: string;
  regionName: string;
  priority?: number;
}

export interface Cluster {
  id: string;
  groupId: string;
  name: string;
  stateName: string;
  dbMajorVersion: string;
  dbVersion?: string;
  createDate: string;
  paused: boolean;
  terminationProtectionEnabled: boolean;
  backupEnabled: boolean;
  replicationSpecs: { regionConfigs: RegionConfig[] }[];
  connectionStrings?: { standard?: string; analytics?: string; drivers?: Record<string, string | string[]>; /* a list: one for each member */ pooled?: string };
}

export interface Process {
  id: string;
  hostname: string;
  port: number;
  typeName: string;
  replicaSetName: string;
  version: string;
  lastPing: string;
  userAlias?: string;
}

export function memberOf(process: Process): string {
  return `${(process.userAlias ?? process.hostname).split(".")[0]} (${process.typeName.replace("REPLICA_", "").replace("_", " ").toLowerCase()})`;
}

export interface Operation {
  id: string;
  kind: string;
  clusterName?: string;
  state: string;
  steps: { name: string; description: string; state: string; startedAt?: string; finishedAt?: string }[];
  percent?: number;
  waitsFor?: string | null;
  failure?: string | null;
  createdAt: string;
  startedAt?: string;
  finishedAt?: string;
}

export function regionsOf(cluster: Cluster): RegionConfig[] {
  return cluster.replicationSpecs.flatMap((one) => one.regionConfigs);
}

/* Those of the project's servers that are its members. */
export function membersOf<P extends { hostname: string }>(cluster: Cluster, processes: P[]): P[] {
  const hosts = `${cluster.connectionStrings?.standard ?? ""} ${cluster.connectionStrings?.analytics ?? ""}`;
  return processes.filter((one) => hosts.includes(one.hostname));
}

/* The same region with another size, and, when that is given, another number of members that may become the primary. Who has another size than the cluster had keeps it. */
export function resized(region: RegionConfig, size: string, before?: string, nodes?: number): RegionConfig {
  const parts = PARTS.filter((part) => region[part]).map((part) => [part, region[part]?.instanceSize === before ? { ...region[part], instanceSize: size } : region[part]]);
  const changed: RegionConfig = { ...region, ...Object.fromEntries(parts) };
  return nodes ? { ...changed, electableSpecs: { ...changed.electableSpecs, instanceSize: size, nodeCount: nodes } } : changed;
}

export function memberCount(cluster: Cluster): number {
  return regionsOf(cluster).flatMap((one) => PARTS.map((part) => one[part]?.nodeCount ?? 0)).reduce((sum, count) => sum + count, 0);
}

export function places(cluster: Cluster): string {
  return regionsOf(cluster).map((one) => `${one.regionName} ${PARTS.map((part) => one[part]?.instanceSize).find(Boolean) ?? ""}`.trim()).join(", ");
}

export function isRunning(operation: Operation): boolean {
  return operation.state === "RUNNING" || operation.state === "QUEUED" || operation.state === "WAITING";
}
