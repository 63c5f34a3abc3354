/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One stream of events for all tabs of a browser. The tab that holds the lock reads it and tells the others; when it is closed, another tab gets the
 * lock and goes on after the last event that was seen. Whoever looks at old data is told so.
 */
import { isSomebodyThere } from "./presence";
import { site } from "./site";

export interface Happened {
  id: string;
  eventTypeName: string;
  groupId?: string;
  clusterName?: string;
  created: string;
}

/* "who": a tab was opened, and wants to know how it is. */
type Said = { kind: "event"; event: Happened; streamId: string } | { kind: "state"; live: boolean } | { kind: "who" };

const listeners = new Set<(event: Happened) => void>();
const watchers = new Set<(live: boolean) => void>();
let isLive = false;
let lastId = "";

function hear(said: Said): void {
  if (said.kind === "who") return;
  if (said.kind === "state") {
    if (isLive === said.live) return;
    isLive = said.live;
    for (const watcher of watchers) watcher(isLive);
    return;
  }
  lastId = said.streamId;
  if (isSomebodyThere()) for (const listener of listeners) listener(said.event);
}

/* Where there is no stream, whoever asks says whether there was an answer. */
export function setLive(live: boolean): void {
  hear({ kind: "state", live });
}

export function onEvent(listener: (event: Happened) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function onLive(watcher: (live: boolean) => void): () => void {
  watchers.add(watcher);
  watcher(isLive);
  return () => watchers.delete(watcher);
}

/* ---- The tab that reads ---- */
async function read(address: string, tell: (said: Said) => void, signal: AbortSignal): Promise<void> {
  const headers: Record<string, string> = { Accept: "text/event-stream" };
  if (lastId) headers["Last-Event-ID"] = lastId;
  const response = await fetch(address, { headers, credentials: "same-origin", signal });
  if (!response.ok || !response.body) throw new Error(String(response.status));
  tell({ kind: "state", live: true });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const messages = (rest + value).split(/\r?\n\r?\n/);
    rest = messages.pop() ?? "";
    for (const message of messages) {
      const lines = message.split(/\r?\n/);
      const of = (name: string) => lines.filter((line) => line.startsWith(name + ":")).map((line) => line.slice(name.length + 1).trim());
      const data = of("data").join("\n");
      if (data) tell({ kind: "event", event: JSON.parse(data) as Happened, streamId: of("id")[0] ?? "" });
    }
  }
}

const PAUSES_MS = [500, 1000, 2000, 5000, 10_000];

/* Reads until the signal says stop. */
export function listen(organization: string, signal: AbortSignal): void {
  const channel = new BroadcastChannel("reeve-events-" + organization);
  let isReader = false;
  channel.onmessage = (message: MessageEvent<Said>) => {
    if (message.data.kind === "who" && isReader) channel.postMessage({ kind: "state", live: isLive } satisfies Said);
    hear(message.data);
  };
  channel.postMessage({ kind: "who" } satisfies Said);
  const tell = (said: Said) => {
    hear(said);
    channel.postMessage(said);
  };
  signal.addEventListener("abort", () => channel.close());
  void navigator.locks
    .request("reeve-events-" + organization, { signal }, async () => {
      isReader = true;
      for (let failures = 0; !signal.aborted; ) {
        try {
          await read(`${site.prefix}/orgs/${organization}/events`, (said) => ((failures = 0), tell(said)), signal);
        } catch {
          failures++;
        }
        if (signal.aborted) return;
        tell({ kind: "state", live: false });
        await new Promise((wake) => setTimeout(wake, PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]));
      }
    })
    .catch(() => undefined);
}
