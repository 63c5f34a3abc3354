/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of screens. Every screen has one, so that it can be bookmarked, sent to somebody and gone back to. */
import { useEffect, useState } from "preact/hooks";

export const BASE = "/console";

export interface Place {
  path: string[]; /* after /console/, decoded */
  query: URLSearchParams;
}

/* Of an address that nobody can read: itself, which is the name of no screen. */
function wordsOf(path: string): string[] {
  try {
    return path.slice(BASE.length).split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return [path];
  }
}

export function here(): Place {
  return { path: wordsOf(location.pathname), query: new URLSearchParams(location.search) };
}

/* to("project", id, "clusters") */
export function to(...parts: string[]): string {
  return BASE + "/" + parts.map(encodeURIComponent).join("/");
}

/* Where somebody wanted to go, as an address that anybody could have written says: only to a path of ours. */
export function ours(address: string): string {
  return new RegExp(`^${BASE}(/|$)`).test(address) ? address : to();
}

/* What a table has under a word of an address: not what every object has, such as "constructor". */
export function under<T>(table: Record<string, T>, word: string | undefined): T | undefined {
  return word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;
}

const listeners = new Set<() => void>();

export function go(address: string, replace = false): void {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  for (const listener of listeners) listener();
}

/* The screen for the address; it is drawn again when that changes. */
export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const changed = () => setPlace(here());
    listeners.add(changed);
    addEventListener("popstate", changed);
    return () => {
      listeners.delete(changed);
      removeEventListener("popstate", changed);
    };
  }, []);
  return place;
}

/* Links of ours are followed without loading the page again; those with a modifier key belong to the browser. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest?.("a");
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href, location.href);
  if (url.origin !== location.origin || !(url.pathname + "/").startsWith(BASE + "/")) return;
  event.preventDefault();
  go(url.pathname + url.search + url.hash);
}
