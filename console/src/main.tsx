/* SPDX-License-Identifier: Apache-2.0 */
/* The console begins here: which screen an address is of. */
import type { ComponentType } from "preact";
import { begin, Missing } from "./app";
import { ExplorerForm, ExplorerList } from "./explorer/explorer";
import { type Place, under } from "./route";
import { Access } from "./screens/access";
import { Account } from "./screens/account";
import { Activity } from "./screens/activity";
import { Cluster } from "./screens/cluster";
import { Clusters } from "./screens/clusters";
import { Connect } from "./screens/connect";
import { CreateCluster } from "./screens/create_cluster";
import { Device } from "./screens/device";
import { Home } from "./screens/home";
import { Invoices } from "./screens/invoices";
import { Limits } from "./screens/limits";
import { Logs } from "./screens/logs";
import { Metrics } from "./screens/metrics";
import { Now } from "./screens/now";
import { Operation, Operations } from "./screens/operations";
import { People } from "./screens/people";
import { Queries } from "./screens/queries";
import { Restore } from "./screens/restore";
import { Teams } from "./screens/teams";
import { tenants } from "./tenant";

/* By the words of their addresses. */
const OF_PROJECT: Record<string, ComponentType<{ project: string }>> = { clusters: Clusters, now: Now, activity: Activity, access: Access, people: People, operations: Operations, limits: Limits };
const OF_CLUSTER: Record<string, ComponentType<{ project: string; name: string }>> = { connect: Connect, metrics: Metrics, restore: Restore, queries: Queries, logs: Logs };
const OF_ORGANIZATION: Record<string, ComponentType<{ organization: string }>> = { teams: Teams, invoices: Invoices };

function OfProject(props: { project: string; rest: string[] }) {
  const { project, rest: [part, name, view] } = props;
  const Found = name === undefined ? under(OF_PROJECT, part ?? "clusters") : undefined;
  if (Found) return <Found project={project} />;
  if (part === "operations" && name !== undefined) return <Operation key={name} project={project} id={name} />;
  if (part !== "clusters" || name === undefined) return <Missing />;
  if (name === "new") return <CreateCluster project={project} />;
  const View = view === undefined ? Cluster : under(OF_CLUSTER, view);
  return View ? <View key={name} project={project} name={name} /> : <Missing />;
}

function screenOf(place: Place) {
  const [first, second, ...rest] = place.path;
  if (first === undefined) return <Home />;
  if (first === "project" && second) return <OfProject key={second} project={second} rest={rest} />;
  const OfOrganization = first === "organization" && second ? under(OF_ORGANIZATION, rest[0]) : undefined;
  if (OfOrganization) return <OfOrganization key={second} organization={second!} />;
  if (first === "explorer") return second ? <ExplorerForm key={second} id={second} /> : <ExplorerList />;
  if (first === "account") return <Account />;
  if (first === "device") return <Device />;
  return <Missing />;
}

begin(tenants, screenOf);
