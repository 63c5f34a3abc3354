/* SPDX-License-Identifier: Apache-2.0 */
/* Whether somebody is there. Who has not moved the pointer, typed or scrolled for a while has left: what asks by itself waits then, because each request would keep their session open at an empty desk. */
const LEFT_MS = 10 * 60_000, LOOK_MS = 1000;
/* Not "scroll": a log that follows its end scrolls by itself. */
const SIGNS = ["pointermove", "pointerdown", "keydown", "wheel", "touchmove"];

const watchers = new Set<(isThere: boolean) => void>();
let seenAt = Date.now();
let isThere = true;

function look(): void {
  const now = Date.now() - seenAt < LEFT_MS;
  if (now === isThere) return;
  isThere = now;
  for (const watcher of watchers) watcher(now);
}

for (const sign of SIGNS) addEventListener(sign, () => ((seenAt = Date.now()), look()), { passive: true, capture: true });
setInterval(look, LOOK_MS);

export const isSomebodyThere = () => isThere;

/* Told when they leave, and when they are back. */
export function onPresence(watcher: (isThere: boolean) => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
