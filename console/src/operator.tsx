/* SPDX-License-Identifier: Apache-2.0 */
/* The console of operators begins here, at an address of its own: which screen an address is of. */
import type { ComponentChildren, ComponentType } from "preact";
import { onAnswer } from "./api";
import { begin, Missing } from "./app";
import { ExplorerForm, ExplorerList } from "./explorer/explorer";
import { setLive } from "./live";
import { alsoSay } from "./messages";
import { Account } from "./operator/account";
import { OneCluster } from "./operator/cluster";
import { Fleet } from "./operator/fleet";
import { History } from "./operator/history";
import { Host } from "./operator/host";
import { Hosts } from "./operator/hosts";
import { Jobs, OneJob } from "./operator/job";
import { ofOperators } from "./operator/messages";
import { Now } from "./operator/now";
import { Organization, Organizations } from "./operator/organizations";
import { operators } from "./operator/site";
import { OneUpdate, Updates } from "./operator/updates";
import { type Place, under } from "./route";

/* By the first word of their addresses: a list, and one of it. */
const SCREENS: Record<string, [all: ComponentType, one?: (name: string) => ComponentChildren]> = {
  clusters: [Fleet, (id) => <OneCluster key={id} id={id} />],
  hosts: [Hosts, (name) => <Host key={name} name={name} />],
  jobs: [Jobs, (id) => <OneJob key={id} id={id} />],
  updates: [Updates, (id) => <OneUpdate key={id} id={id} />],
  organizations: [Organizations, (id) => <Organization key={id} id={id} />],
  explorer: [ExplorerList, (id) => <ExplorerForm key={id} id={id} />],
  history: [History],
  account: [Account],
};

function screenOf({ path: [first, second, ...rest] }: Place) {
  if (first === undefined) return <Now />;
  const [All, one] = under(SCREENS, first) ?? [];
  if (!All || rest.length > 0 || (second !== undefined && !one)) return <Missing />;
  return second === undefined ? <All /> : one!(second);
}

alsoSay(ofOperators);
onAnswer.add(setLive);
begin(operators, screenOf);
