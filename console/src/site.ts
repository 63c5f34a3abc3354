/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between the consoles: that of people at the address of the API, and that of operators at theirs. An entry point says it once, before anything is drawn. */
import type { Context, Grants, Operation } from "./catalog";
import type { Message } from "./messages";
import type { Line } from "./ui/command";

export interface Person {
  id: string;
  username: string;
  grants: Grants;
}

/* Where one can go; the palette finds it, too. */
export interface Group {
  title: Message;
  places: [address: string, title: Message][];
}

/* A thing that the palette finds by its name. */
export interface Found {
  kind: Message;
  title: string;
  detail: string;
  address: string;
}

/* What somebody put into the form of an operation. */
export interface Filled {
  path: string;
  places: string[]; /* the values of the path's parameters, in order */
  query?: Record<string, unknown>;
  body?: unknown;
}

export interface Site {
  name: Message;
  live: Message; /* what it says while what is seen is up to date */
  signInHelp: Message;
  prefix: string; /* of the API */
  account: string; /* below it are signing in and sessions */
  providers: boolean; /* whether people can sign in on the pages of an identity provider */
  token: string; /* where programs find theirs: a variable of the shell */
  whoIsHere: () => Promise<Person | undefined>; /* undefined: nobody is signed in */
  confirm: () => Promise<void>; /* they show that they are still there */
  menu: (context: Context) => Group[];
  things: (context: Context) => Promise<Found[]>;
  cli: (operation: Operation, filled: Filled) => Line; /* for the command line */
}

export let site: Site;

export function beAt(here: Site): void {
  site = here;
}
