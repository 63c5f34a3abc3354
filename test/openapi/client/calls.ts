// SPDX-License-Identifier: Apache-2.0
// One call of each family through a client whose types come from the OpenAPI document (schema.ts, made by client_test.py).
// That it compiles says that the document is good for a typed client; what it prints, that the document says the truth.
import createClient, { type Middleware } from "openapi-fetch";
import { readFileSync } from "node:fs";
import type { components, paths } from "./schema.js";

type Cluster = components["schemas"]["Cluster"];
type ErrorDocument = components["schemas"]["Error"];
interface Operation {
  tags: string[];
  "x-status": "complete" | "refused" | "waiting";
  responses: Record<string, { content?: Record<string, unknown> }>;
}
interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

const baseUrl = setting("REEVE_BASE_URL");
const document = JSON.parse(readFileSync(setting("REEVE_OPENAPI"), "utf8")) as Document;
const called = new Set<string>();
let passed = 0;
let failed = 0;

function check(good: boolean, sentence: string): void {
  if (good) {
    passed++;
    return;
  }
  failed++;
  console.log(`  FAILED ${sentence}`);
}

async function fetchToken(): Promise<string> {
  const basic = Buffer.from(`${setting("REEVE_CLIENT_ID")}:${setting("REEVE_CLIENT_SECRET")}`).toString("base64");
  const answer = await fetch(`${baseUrl}/api/oauth/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${basic}`, "Content-Type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials",
  });
  if (!answer.ok) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { access_token: string }).access_token;
}

// Every answer is one that the document names for the operation, with its media type.
const watch: Middleware = {
  onResponse({ request, response, schemaPath }) {
    const operation = document.paths[schemaPath]?.[request.method.toLowerCase()];
    const name = `${request.method} ${schemaPath}: ${response.status}`;
    if (operation === undefined) {
      check(response.status === 404, `${name}, and the document has no such operation`);
      return;
    }
    operation.tags.forEach((tag) => called.add(tag));
    const described = operation.responses[String(response.status)];
    check(described !== undefined, `${name} is not in the document`);
    const media = response.headers.get("content-type")?.split(";")[0] ?? "";
    if (response.ok && described?.content !== undefined) check(media in described.content, `${name} with ${media} is not in the document`);
    check((response.status === 501) === (operation["x-status"] === "waiting"), `${name}, and its state is ${operation["x-status"]}`);
  },
};

const token = await fetchToken();
const client = createClient<paths>({ baseUrl: `${baseUrl}/api/svc/v2`, headers: { Authorization: `Bearer ${token}` } });
client.use(watch);

interface Outcome<T> {
  data?: T;
  error?: ErrorDocument;
  response: Response;
}

// What an operation that is complete returned; a failure of ours or the client's ends the run.
async function get<T>(call: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw new Error(`${response.url}: ${response.status} ${error?.errorCode}: ${error?.detail}`);
  return data;
}

// What waits answers with an error that has its type too; once it is built, the same call succeeds, or finds nothing yet.
async function ask<T>(call: Promise<Outcome<T>>): Promise<void> {
  const { error, response } = await call;
  if (error === undefined) check(response.ok, `${response.url}: ${response.status}`);
  else check(error.error === response.status && [404, 501].includes(error.error), `${response.url}: ${response.status} ${error.detail}`);
}

// ---- Who and where ----
const root = await get(client.GET("/"));
check(root.links.some((link) => link.rel === "self"), "the root has a link to itself");
await get(client.GET("/unauth/controlPlaneIPAddresses"));
const limits = await get(client.GET("/rateLimits"));
check(limits.results.length > 0, "there are rate limits");
const organizations = await get(client.GET("/orgs"));
const orgId = organizations.results[0]?.id ?? "";
check(/^[0-9a-f]{24}$/.test(orgId), `an organization has an id: ${orgId}`);
const ofOrg = { params: { path: { orgId } } };
await get(client.GET("/orgs/{orgId}/settings", ofOrg));
const project = await get(client.POST("/groups", { body: { name: "typed", orgId } }));
check(project.name === "typed" && project.orgId === orgId, "a project is what was asked for");
const groupId = project.id ?? "";
const ofProject = { params: { path: { groupId } } };

// ---- Clusters ----
const cluster: Cluster = await get(
  client.POST("/groups/{groupId}/clusters", {
    params: { path: { groupId }, header: { "Idempotency-Key": "typed-1" } },
    body: {
      name: "orders",
      replicationSpecs: [
        { regionConfigs: [{ providerName: "ONPREM", regionName: "EU_NORTH", electableSpecs: { instanceSize: "M10", nodeCount: 3 } }] },
      ],
    },
  }),
);
check(cluster.stateName === "CREATING", `a new cluster is being created: ${cluster.stateName}`);
const clusterName = cluster.name ?? "";
const ofCluster = { params: { path: { groupId, clusterName } } };
const page = await get(client.GET("/groups/{groupId}/clusters", { params: { path: { groupId }, query: { itemsPerPage: 1, includeCount: true } } }));
check(page.totalCount === 1 && page.results[0]?.name === "orders", "a page of clusters");
await get(client.GET("/groups/{groupId}/flexClusters", ofProject));
await get(client.GET("/groups/{groupId}/operations", ofProject));
const simulation = await client.GET("/groups/{groupId}/clusters/{clusterName}/outageSimulation", ofCluster);
check(simulation.error?.error === 404, `no outage is simulated: ${simulation.response.status}`);
const index = await client.POST("/groups/{groupId}/clusters/{clusterName}/index", {
  params: { path: { groupId, clusterName } },
  body: { db: "shop", collection: "orders", keys: [{ customer: 1 }] },
});
check(index.response.status === 202, `an index is made once the cluster is there: ${index.response.status}`);
await get(client.GET("/groups/{groupId}/maintenanceWindow", ofProject));

// ---- People and credentials ----
await get(client.GET("/orgs/{orgId}/users", ofOrg));
await get(client.GET("/orgs/{orgId}/teams", ofOrg));
const key = await get(client.POST("/orgs/{orgId}/apiKeys", { ...ofOrg, body: { desc: "typed", roles: ["ORG_READ_ONLY"] } }));
check(key.publicKey !== undefined, "a key has a public half");
const accounts = await get(client.GET("/orgs/{orgId}/serviceAccounts", ofOrg));
check(accounts.results.length > 0, "the caller is one of the service accounts");
await ask(client.GET("/orgs/{orgId}/federationSettings", ofOrg));

// ---- What watches and what restricts ----
const policy = await get(
  client.POST("/orgs/{orgId}/resourcePolicies", { ...ofOrg, body: { name: "enough members", policies: [{ body: "$members < 2" }] } }),
);
check(policy.name === "enough members", "a policy is what was asked for");
await get(client.GET("/eventTypes"));
await get(client.GET("/orgs/{orgId}/activityFeed", ofOrg));
await get(client.GET("/orgs/{orgId}/webhooks", ofOrg));
await ask(client.GET("/groups/{groupId}/alertConfigs", ofProject));
await ask(client.GET("/groups/{groupId}/auditLog", ofProject));
await ask(client.GET("/groups/{groupId}/dbAccessHistory/clusters/{clusterName}", ofCluster));
await ask(client.GET("/groups/{groupId}/integrations", ofProject));
await ask(client.GET("/groups/{groupId}/logIntegrations", ofProject));
await get(client.GET("/skus"));

// ---- Who may connect, and from where ----
const user = await get(
  client.POST("/groups/{groupId}/databaseUsers", {
    ...ofProject,
    body: { username: "app", password: "correct horse battery", roles: [{ roleName: "readWrite", databaseName: "shop" }] },
  }),
);
check(user.username === "app" && !("password" in user), "a user is shown without the password");
await get(client.GET("/groups/{groupId}/customDBRoles/roles", ofProject));
await get(client.GET("/groups/{groupId}/userSecurity", ofProject));
const entries = await get(client.POST("/groups/{groupId}/accessList", { ...ofProject, body: [{ cidrBlock: "203.0.113.0/24" }, { ipAddress: "198.51.100.7" }] }));
check(entries.results.length === 2, `two entries: ${entries.results.length}`);
await get(client.GET("/groups/{groupId}/containers", ofProject));
await get(client.GET("/groups/{groupId}/privateEndpoint/regionalMode", ofProject));
await get(client.GET("/groups/{groupId}/ipAddresses", ofProject));
await get(client.GET("/groups/{groupId}/providerCustomDNS", ofProject));
await get(client.GET("/groups/{groupId}/cloudProviderAccess", ofProject));
await get(client.GET("/groups/{groupId}/encryptionAtRest", ofProject));

await ask(client.GET("/groups/{groupId}/clusters/{clusterName}/pooling", ofCluster));

// ---- Data ----
await get(client.GET("/groups/{groupId}/backup/exportBuckets", ofProject));
await get(client.GET("/groups/{groupId}/backup/drillSettings", ofProject));
await ask(client.GET("/groups/{groupId}/clusters/{clusterName}/extensionOffers", ofCluster));
await ask(client.POST("/groups/{groupId}/clusters/{clusterName}/extensions", { ...ofCluster, body: { name: "vector", databaseName: "shop" } }));
await ask(client.GET("/groups/{groupId}/clusters/{clusterName}/snapshotSchedule", ofCluster));
await ask(client.GET("/groups/{groupId}/clusters/{clusterName}/onlineArchives", ofCluster));
await ask(client.GET("/orgs/{orgId}/liveMigrations/availableProjects", ofOrg));
await ask(client.GET("/groups/{groupId}/dataFederation", ofProject));
await ask(client.GET("/groups/{groupId}/streams", ofProject));
await ask(client.GET("/groups/{groupId}/clusters/{clusterName}/search/indexes", ofCluster));
await ask(client.GET("/groups/{groupId}/clusters/{clusterName}/globalWrites", ofCluster));

// ---- What can be measured ----
await ask(client.GET("/groups/{groupId}/processes", ofProject));
await get(client.GET("/groups/{groupId}/collStats/metrics", ofProject));
await ask(client.GET("/groups/{groupId}/clusters/{clusterName}/collStats/pinned", ofCluster));
await ask(client.GET("/groups/{groupId}/hosts/{processId}/fts/metrics", { params: { path: { groupId, processId: "db1.example.org:5432" } } }));
const logs = { groupId, hostName: "h1", logName: "postgres" as const };
await ask(client.GET("/groups/{groupId}/clusters/{hostName}/logs/{logName}.gz", { params: { path: logs }, parseAs: "stream" }));
await ask(client.GET("/groups/{groupId}/managedSlowMs", ofProject));
await ask(client.GET("/groups/{groupId}/clusters/{clusterName}/queryShapes", ofCluster));

// ---- Mistakes that the types find; without the mistake the line above it would not compile ----
const nobody = { params: { path: { groupId: "000000000000000000000000" } } };
// @ts-expect-error there is no such path
const unknown = await client.GET("/groups/{groupId}/nothing", nobody);
check(unknown.response.status === 404, "a path that the document does not have");
// @ts-expect-error a project needs an organization
const incomplete = await client.POST("/groups", { body: { name: "typed" } });
check(incomplete.error?.errorCode === "MISSING_ATTRIBUTE", `a missing field: ${incomplete.error?.errorCode}`);
// @ts-expect-error a name is a text
const numbered = await client.PATCH("/groups/{groupId}", { ...ofProject, body: { name: 7 } });
check(numbered.error?.error === 400, `a number where a text belongs: ${numbered.error?.errorCode}`);

for (const { name } of document.tags) check(called.has(name), `${name}: no operation of the family was called`);
console.log(`called ${called.size} families of ${document.tags.length}`);
console.log(`client: ${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
