/* SPDX-License-Identifier: Apache-2.0 */
/* Where somebody is signed in, and how they end a session that is not theirs any more. */
import { ask, send } from "../api";
import { say, whenAgo } from "../messages";
import { site } from "../site";
import { Show, State, useLoaded } from "./basics";
import { Table } from "./table";

interface Session {
  sessionId: string;
  createdAt: string;
  usedAt: string;
  address: string;
  browser: string;
  kind?: "BROWSER" | "DEVICE";
  host?: string;
}

export function Sessions() {
  const path = `${site.account}/sessions`;
  const sessions = useLoaded("sessions", (signal) => ask<{ currentSessionId: string; results: Session[] }>(path, { signal }));
  const end = (id: string) => send(`${path}/end`, { method: "POST", body: { sessionId: id } }).then(() => sessions.state === "there" && sessions.again());
  return (
    <section>
      <h2>{say("account.sessions")}</h2>
      <Show of={sessions}>
        {({ currentSessionId, results }) => (
          <Table label={say("account.sessions")} rows={results} keyOf={(one) => one.sessionId} columns={[
            { title: say("account.browser"), show: (one) => one.kind === "DEVICE" ? say("account.device", { host: one.host ?? "" }) : one.browser || "–" },
            { title: say("account.address"), show: (one) => one.address },
            { title: say("account.since"), show: (one) => whenAgo(one.createdAt) },
            { title: "", show: (one) => one.sessionId === currentSessionId ? <State of="THIS ONE" /> : <button type="button" class="small" onClick={() => void end(one.sessionId)}>{say("account.end")}</button> },
          ]} />
        )}
      </Show>
    </section>
  );
}
