/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the API. The cookie of the session goes along by itself; nothing here ever sees a secret of it. */

import { site } from "./site";

const ANSWER = "application/json";

export interface WrongField {
  field: string;
  description: string;
}

/* What the service answers in place of success: what is wrong, and what to change. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly fields: WrongField[] = [],
    readonly requestId = "",
    readonly retryAfterS = 0, /* 0: it does not say when */
  ) {
    super(detail);
  }
}

export interface Page<T> {
  results: T[];
  totalCount: number;
}

async function problemOf(response: Response): Promise<Problem> {
  const id = response.headers.get("X-Request-Id") ?? "";
  const retryAfterS = Number(response.headers.get("Retry-After")) || 0;
  try {
    const body = await response.json();
    const fields = (body.badRequestDetail?.fields ?? []) as WrongField[];
    return new Problem(response.status, String(body.errorCode ?? ""), String(body.detail ?? response.statusText), fields, id, retryAfterS);
  } catch {
    return new Problem(response.status, "", response.statusText || "The service did not answer.", [], id, retryAfterS);
  }
}

/* Everybody who wants to know that the session has ended. */
export const signedOut = new EventTarget();

/* The same of whether the service answers: told after each request. */
export const onAnswer = new Set<(isThere: boolean) => void>();

function tell(isThere: boolean): void {
  for (const listener of onAnswer) listener(isThere);
}

export interface Sent {
  method?: string;
  body?: unknown;
  query?: Record<string, string | number | boolean | undefined>;
  signal?: AbortSignal;
  etag?: string;
  accept?: string; /* for files */
}

export function addressOf(path: string, query: Sent["query"]): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined && value !== "") words.set(name, String(value));
  const text = words.toString();
  return (path.startsWith(site.account + "/") ? path : site.prefix + path) + (text ? (path.includes("?") ? "&" : "?") + text : "");
}

const READ_MS = 15_000;

function nobody(sent: Sent): never {
  if (!sent.signal?.aborted) tell(false);
  throw new Problem(0, "NO_ANSWER", "The service does not answer. Check your connection; nothing was lost here.");
}

/* A POST that was cut off can be sent again: it has a key that the service remembers. */
export async function send(path: string, sent: Sent = {}): Promise<Response> {
  const method = sent.method ?? "GET";
  const headers: Record<string, string> = { Accept: sent.accept ?? ANSWER };
  if (sent.body !== undefined) headers["Content-Type"] = "application/json";
  if (method === "POST") headers["Idempotency-Key"] = crypto.randomUUID();
  if (sent.etag) headers["If-Match"] = sent.etag;
  /* Reads have a time limit, so that one that never ends is known for it; those of files have none. */
  const limits = [sent.signal, method === "GET" && !sent.accept ? AbortSignal.timeout(READ_MS) : undefined].filter((one) => one !== undefined);
  const request = () =>
    fetch(addressOf(path, sent.query), {
      method,
      headers,
      body: sent.body === undefined ? null : JSON.stringify(sent.body),
      credentials: "same-origin",
      signal: AbortSignal.any(limits),
    });
  let response: Response;
  try {
    response = await request();
  } catch (error) {
    if (sent.signal?.aborted) throw error;
    /* Once more: the first try may have met a node that was just being replaced. */
    response = await request().catch(() => nobody(sent));
  }
  tell(response.status < 500);
  if (response.ok) return response;
  const problem = await problemOf(response);
  /* Neither a wrong password nor an address that somebody has nothing to do with means that their session is over. */
  if (problem.status === 401 && !["SIGN_IN_REFUSED", "NOT_A_MEMBER"].includes(problem.code)) signedOut.dispatchEvent(new Event("end"));
  throw problem;
}

export async function ask<T>(path: string, sent: Sent = {}): Promise<T> {
  const response = await send(path, sent);
  const text = await response.text().catch(() => nobody(sent));
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export const PAGE_SIZE = 500;

export function list<T>(path: string, sent: Sent = {}): Promise<Page<T>> {
  return ask<Page<T>>(path, { ...sent, query: { itemsPerPage: PAGE_SIZE, ...sent.query } });
}

/* All of it: the pages after the first are asked for at once. */
export async function listAll<T>(path: string, sent: Sent = {}): Promise<Page<T>> {
  const first = await list<T>(path, sent);
  const others = Array.from({ length: Math.ceil(first.totalCount / PAGE_SIZE) - 1 }, (_, i) => list<T>(path, { ...sent, query: { ...sent.query, pageNum: i + 2 } }));
  return { results: [first, ...(await Promise.all(others))].flatMap((page) => page.results), totalCount: first.totalCount };
}
