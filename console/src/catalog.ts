/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the API, who may do them, and the forms of their bodies: data that the build takes from the tables of the service. */
import { BASE } from "./route";

export interface Field {
  name: string;
  type: string;
  doc: string;
  required?: boolean;
  createOnly?: boolean;
  nullable?: boolean;
  min?: number;
  max?: number;
  pattern?: string;
  writeOnly?: boolean;
  oneOf?: (string | number)[];
  of?: Field[];
  variants?: Record<string, Field[]>; /* by the value of this field: what there is besides */
  item?: string; /* of a list of single values: their type */
  default?: unknown;
  example?: unknown;
  unit?: string;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  family: string;
  rule: string;
  roles: string[];
  losesData: boolean;
  waits: boolean;
  isList: boolean;
  command?: string; /* the words of the command line, where each operation has some of its own */
}

export interface Details {
  description: string;
  who: string;
  waitsFor: string | null;
  bodyIsList: boolean;
  shape: string;
  request?: Field[];
  query: Field[];
  pathParameters: { name: string; doc: string }[];
  example?: unknown;
}

type Row = [string, string, string, string, string, string, string[], string, string?];

export interface Catalog {
  operations: Map<string, Operation>;
  families: Record<string, string>;
  implied: Record<string, string[]>;
}

const version = document.documentElement.dataset.version ?? "";

async function data<T>(name: string): Promise<T> {
  const response = await fetch(`${BASE}/data/${name}.json?${version}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return (await response.json()) as T;
}

function operationOf([id, method, path, summary, family, rule, roles, flags, command]: Row): Operation {
  return { id, method, path, summary, family, rule, roles, losesData: flags.includes("d"), waits: flags.includes("w"), isList: flags.includes("l"), command };
}

let loaded: Promise<Catalog> | undefined;

export function catalog(): Promise<Catalog> {
  loaded ??= data<{ operations: Row[]; families: Record<string, string>; roles: Record<string, string[]> }>("index").then((index) => ({
    operations: new Map(index.operations.map((row) => [row[0], operationOf(row)])),
    families: index.families,
    implied: index.roles,
  }));
  return loaded;
}

const families = new Map<string, Promise<Record<string, Details>>>();

export async function detailsOf(operation: Operation): Promise<Details> {
  let family = families.get(operation.family);
  if (!family) families.set(operation.family, (family = data(`family-${operation.family}`)));
  return (await family)[operation.id]!;
}

let remedies: Promise<Record<string, string>> | undefined;

/* What to do about an error. */
export async function remedyOf(code: string): Promise<string | undefined> {
  remedies ??= data<Record<string, string>>("errors");
  return (await remedies)[code];
}

/* ---- Who may ---- */
export interface Grants {
  organizations: Record<string, string[]>; /* roles by the organization's id */
  projects: Record<string, { name: string; organization: string; roles: string[] }>;
}

export interface Context {
  organization?: string;
  project?: string;
}

function closure(known: Catalog, roles: string[]): Set<string> {
  return new Set(roles.flatMap((role) => [role, ...(known.implied[role] ?? [])]));
}

/* Roles in an organization count in its projects; those in a project count only there. Without a place: those that somebody has anywhere. */
function rolesAt(operation: Operation, grants: Grants, context: Context): string[] {
  const project = context.project === undefined ? undefined : grants.projects[context.project];
  const organization = context.organization ?? project?.organization;
  const ofOrganization = organization === undefined ? [] : (grants.organizations[organization] ?? []);
  if (operation.path.includes("{groupId}")) return [...(project?.roles ?? []), ...ofOrganization];
  if (operation.path.includes("{orgId}")) return ofOrganization;
  return Object.values(grants.organizations).flat();
}

/* The roles that are missing, of which any would do; an empty list: the caller may. The server decides; this only saves people a refusal. */
export function missingRoles(known: Catalog, operation: Operation, grants: Grants, context: Context): string[] {
  if (operation.rule !== "ROLES" && operation.rule !== "ANYWHERE") return [];
  const held = closure(known, rolesAt(operation, grants, context));
  return operation.roles.some((role) => held.has(role)) ? [] : operation.roles;
}
