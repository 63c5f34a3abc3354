/* SPDX-License-Identifier: Apache-2.0 */
/* What is around every screen: where one is, where one can go, whether it is live, and the palette. */
import { type ComponentChildren, createContext, Fragment } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "./api";
import { type Catalog, type Context, missingRoles } from "./catalog";
import { listen, onEvent, onLive } from "./live";
import { say } from "./messages";
import { Palette } from "./palette";
import { isSomebodyThere, onPresence } from "./presence";
import { go, type Place, to } from "./route";
import { signOut } from "./session";
import { type Person, site } from "./site";
import { type Loaded, useLoaded } from "./ui/basics";
import { Icon } from "./ui/icon";

export interface World {
  catalog: Catalog;
  person: Person;
  place: Place;
  context: Context; /* the project that somebody is in, or was in last, and its organization */
}

export const WorldContext = createContext<World>(undefined as unknown as World);
export const useWorld = () => useContext(WorldContext);

/* By the address, else the one where they were last, else the first. */
export function contextOf(person: Person, place: Place): Context {
  const known = person.grants.projects;
  const named = [place.path[0] === "project" ? place.path[1] : undefined, place.query.get("groupId") ?? undefined, localStorage.getItem("project") ?? undefined, Object.keys(known)[0]];
  const project = named.find((one) => one !== undefined && one in known);
  const organization = place.path[0] === "organization" ? place.path[1] : ((project && known[project]?.organization) ?? Object.keys(person.grants.organizations)[0]);
  return { project, organization };
}

/* ---- Who may ---- */
/* The roles of which one is missing for an operation; none: it is allowed. */
export function useMissing(operation: string, context: Context): string[] {
  const { catalog, person } = useWorld();
  const known = catalog.operations.get(operation);
  return known ? missingRoles(catalog, known, person.grants, context) : [];
}

/* A control for an operation: where a role is missing it says which, and does nothing. */
export function Act(props: { operation: string; in: Context; danger?: boolean; quiet?: boolean; small?: boolean; submit?: boolean; off?: boolean; go?: string; act?: () => void; children: ComponentChildren }) {
  const missing = useMissing(props.operation, props.in);
  const kind = (props.quiet && !props.danger ? "" : "button") + (props.danger ? " danger" : "") + (props.small ? " small" : "");
  if (missing.length > 0) {
    const why = say("may.needs", { roles: missing.join(" / ") });
    return <button type="button" class={kind} aria-disabled="true" title={why} data-operation={props.operation}>{props.children}<span class="hidden"> ({why})</span></button>;
  }
  return props.go
    ? <a class={"button" + (props.quiet ? " quiet-button" : "") + (props.small ? " small" : "")} href={props.go} data-operation={props.operation}>{props.children}</a>
    : <button type={props.submit ? "submit" : "button"} class={kind} disabled={props.off} onClick={props.act} data-operation={props.operation}>{props.children}</button>;
}

/* Calls again when something happened that the screen shows, and when it is live again after it was not, or somebody is back: what happened in between may not be told. */
export function useEvents(matters: (event: { groupId?: string; clusterName?: string; eventTypeName: string }) => boolean, act: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent((event) => {
      if (!matters(event)) return;
      clearTimeout(timer);
      timer = setTimeout(act, 100); /* several at once are one */
    });
    return () => (clearTimeout(timer), stop());
  });
  useRecovered(act);
}

export function useRecovered(act: () => void): void {
  const wasLive = useRef<boolean>();
  useEffect(() => onLive((live) => {
    if (live && wasLive.current === false) act();
    wasLive.current = live;
  }));
  useReturn(act);
}

function useReturn(act: () => void): void {
  useEffect(() => onPresence((isThere) => isThere && act()));
}

/* For what has no event: again every few seconds, while somebody looks. */
export function useEvery(milliseconds: number, isWanted: boolean, act: () => void): void {
  useEffect(() => {
    if (!isWanted) return;
    const timer = setInterval(() => document.visibilityState === "visible" && isSomebodyThere() && act(), milliseconds);
    return () => clearInterval(timer);
  });
  useReturn(() => isWanted && act());
}

/* What no event tells of. When nobody answers, what was there stays, and the frame says that it may be old. */
export function usePolled<T>(key: string, milliseconds: number, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const loaded = useLoaded(key, read);
  const last = useRef<{ key: string; loaded: Loaded<T> }>();
  if (loaded.state === "there") last.current = { key, loaded };
  const isAway = loaded.state === "failed" && loaded.problem instanceof Problem && (loaded.problem.status === 0 || loaded.problem.status >= 500);
  useEvery(milliseconds, loaded.state !== "loading", () => loaded.state !== "loading" && loaded.poll());
  return isAway && last.current?.key === key ? last.current.loaded : loaded;
}

function Live() {
  const [live, setLive] = useState(true), [isThere, setThere] = useState(isSomebodyThere);
  useEffect(() => onLive(setLive), []);
  useEffect(() => onPresence(setThere), []);
  return <p class={live && isThere ? "live" : "live not"} role="status">{say(!isThere ? "app.paused" : live ? site.live : "app.notLive")}</p>;
}

function useTheme(): () => void {
  const [theme, setTheme] = useState(() => localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return () => {
    const next = theme === "dark" ? "light" : "dark";
    localStorage.setItem("theme", next);
    setTheme(next);
  };
}

/* Whether somebody is at this place of the menu, or at something in it. */
const isAt = (address: string) => location.pathname === address || location.pathname.startsWith(address + "/");

function Places() {
  const { context } = useWorld();
  return (
    <nav aria-label={say("app.menu")}>
      {site.menu(context).map((group) => (
        <Fragment key={group.title}>
          <p class="group">{say(group.title)}</p>
          {group.places.map(([address, title]) => <a key={address} href={address} aria-current={isAt(address) ? "page" : undefined}>{say(title)}</a>)}
        </Fragment>
      ))}
    </nav>
  );
}

function Projects() {
  const { person, context } = useWorld();
  const known = Object.entries(person.grants.projects);
  if (known.length === 0) return null;
  return (
    <select class="switch" aria-label={say("nav.project")} value={context.project} onChange={(event) => go(to("project", event.currentTarget.value, "clusters"))}>
      {known.map(([id, one]) => <option key={id} value={id}>{one.name}</option>)}
    </select>
  );
}

export function Frame(props: { children: ComponentChildren }) {
  const { person, context } = useWorld();
  const [searching, setSearching] = useState(false);
  const changeTheme = useTheme();
  useEffect(() => {
    if (context.project) localStorage.setItem("project", context.project);
  }, [context.project]);
  useEffect(() => {
    if (!context.organization) return;
    const stop = new AbortController();
    listen(context.organization, stop.signal);
    return () => stop.abort();
  }, [context.organization]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as Element).tagName);
      if ((event.key === "k" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) {
        event.preventDefault();
        setSearching(true);
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  const leave = () => signOut().finally(() => location.assign(to("sign-in")));
  return (
    <>
      <a class="skip" href="#content">{say("app.skip")}</a>
      <header class="top">
        <div class="inside">
          <a class="brand" href={to()}>{say(site.name)}</a>
          <Projects />
          <button type="button" class="search" onClick={() => setSearching(true)}><Icon name="search" /><span>{say("app.search")}</span><kbd>/</kbd></button>
          <Live />
          <button type="button" class="bare" title={say("app.theme")} aria-label={say("app.theme")} onClick={changeTheme}><Icon name="theme" /></button>
          <a class="bare" href={to("account")} title={say("app.account")}><Icon name="person" /><span class="wide-only">{person.username}</span><span class="hidden narrow-only"> {person.username}</span></a>
          <button type="button" class="bare" title={say("app.signOut")} aria-label={say("app.signOut")} onClick={leave}><Icon name="leave" /></button>
        </div>
      </header>
      <div class="body">
        <Places />
        {props.children}
      </div>
      {searching && <Palette close={() => setSearching(false)} />}
    </>
  );
}
