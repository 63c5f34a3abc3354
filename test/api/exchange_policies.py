# SPDX-License-Identifier: Apache-2.0
"""Resource policies, on every way that could lead to what they forbid. The ways are those of the catalog: an operation that is new has to be
put into one of the two tables below."""
from world import PREFIX, catalog, no_limits

FAMILIES = ("access-list", "clusters", "flex-clusters")


def specs(count):
    return [{"regionConfigs": [{"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": "M10", "nodeCount": count}}]}]


SINGLE, FLEX = {"replicationSpecs": specs(1)}, {"providerSettings": {"backingProviderName": "ONPREM", "regionName": "EU_NORTH"}}
EVERYBODY = ("0.0.0.0/0", "::/0", "::ffff:0:0/96")
# operation: (values of the path, body, the policy that forbids it), each of which would lead to something forbidden
WAYS = {
    "createGroupCluster": [({}, {"name": "more", **SINGLE}, "members")],
    "updateGroupCluster": [({"clusterName": "three"}, SINGLE, "members"),
                           ({"clusterName": "single"}, {"tags": [{"key": "k", "value": "v"}]}, "members"),
                           ({"clusterName": "single"}, {"paused": True}, "members")],
    "updateGroupClusterProcessArgs": [({"clusterName": "single"}, {"work_mem": 8192}, "members")],
    "pinGroupClusterFeatureCompatibilityVersion": [({"clusterName": "single"}, {"expirationDate": "2099-01-01T00:00:00Z"}, "members")],
    "grantGroupClusterVendorEmployeeAccess": [({"clusterName": "single"}, {"grantType": "CLUSTER_DATABASE_LOGS", "expirationTime": "2099-01-01T00:00:00Z"}, "members")],
    "upgradeGroupClusterTenantUpgrade": [({}, {"name": "flex", **SINGLE}, "members")],
    "tenantGroupFlexClusterUpgrade": [({}, {"name": "flex", **SINGLE}, "members")],
    "createGroupFlexCluster": [({}, {"name": "more", **FLEX}, "flex")],
    "updateGroupFlexCluster": [({"name": "flex"}, {"tags": [{"key": "k", "value": "v"}]}, "flex")],
    "createGroupAccessListEntry": [({}, [{"cidrBlock": "203.0.113.0/24"}, {"ipAddress": "198.51.100.7"}, {"cidrBlock": block}], "entries") for block in EVERYBODY]
                                  + [({}, [{"cidrBlock": block, "deleteAfterDate": "2099-01-01T00:00:00Z"}], "entries") for block in EVERYBODY],
}
# operation: why nothing forbidden comes of it
NO_WAYS = {
    "createGroupFlexClusterBackupRestoreJob": "brings data into a cluster that is there, and changes nothing else about it",
    "downloadGroupFlexClusterBackup": "makes a file of a snapshot, and changes nothing about any cluster",
    "validateGroupClusterConfigurations": "it stores nothing; the exchanges have its answer",
    "restartGroupClusterPrimaries": "the document stays as it is",
    "revokeGroupClusterVendorEmployeeAccess": "it only takes something away",
    "unpinGroupClusterFeatureCompatibilityVersion": "it only takes something away",
    "requestGroupSampleDatasetLoad": "the document stays as it is",
}
POLICIES = {
    "members": "$members < 2",
    "entries": '$resource == "ACCESS_LIST_ENTRY" && ($.cidrBlock == "0.0.0.0/0" || $.cidrBlock == "::/0")',
    "flex": '$resource == "FLEX_CLUSTER"',
}


def test_every_way(suite, runner, world, node):
    owner = world.make_caller("rules")
    no_limits([owner.home])
    project = world.must(201, "POST", "/groups", owner.bearer(), {"name": "rules", "orgId": owner.home}).json()["id"]
    group = "/groups/" + project
    # What is there before the policies is left alone, and listed.
    for path, body in (("/clusters", {"name": "single", **SINGLE}), ("/clusters", {"name": "three", "replicationSpecs": specs(3)}),
                       ("/flexClusters", {"name": "flex", **FLEX})):
        world.must(201, "POST", group + path, owner.bearer(), body)
    world.must(200, "POST", group + "/accessList", owner.bearer(), [{"cidrBlock": "0.0.0.0/0"}, {"cidrBlock": "198.51.100.0/24"}])
    ids = {name: world.must(201, "POST", "/orgs/%s/resourcePolicies" % owner.home, owner.bearer(), {"name": name, "policies": [{"body": body}]}).json()["id"]
           for name, body in POLICIES.items()}
    broken = world.must(200, "GET", "/orgs/%s/nonCompliantResources" % owner.home, owner.bearer()).json()["results"]
    suite.equal(sorted((one["resourceType"], one["resourceName"], one["resourcePoliciesCausingNonCompliance"][0]["resourcePolicyName"]) for one in broken),
                [("CLUSTER", "flex", "flex"), ("CLUSTER", "single", "members"), ("PROJECT", "rules", "entries")],
                "what was there before the policies; an entry is a matter of its project")
    world.must(204, "DELETE", group + "/accessList/0.0.0.0%2F0", owner.bearer())

    def there():
        return [world.must(200, "GET", group + path, owner.bearer()).body for path in ("/clusters", "/flexClusters", "/accessList")]
    before = there()
    ways = [row for row in catalog() if row["family"] in FAMILIES and row["method"] in ("POST", "PUT", "PATCH") and row["status"] == "complete"]
    suite.check(len(ways) > 10, "there are ways: %d", len(ways))
    for row in ways:
        name = row["operation"]
        suite.check((name in WAYS) != (name in NO_WAYS), "%s: say in exchange_policies.py whether it could lead to something forbidden", name)
        for values, body, policy in WAYS.get(name, []):
            path = row["path"].replace("{groupId}", project)
            for parameter, value in values.items():
                path = path.replace("{%s}" % parameter, value)
            for query in ("", "?dryRun=true"):
                answer = runner.connection.ask(row["method"], PREFIX + path + query, owner.bearer(), body)
                got = (answer.status, answer.code(), answer.json().get("parameters", [])[:2])
                suite.equal(got, (403, "POLICY_FORBIDS", [policy, ids[policy]]), "%s with %s%s" % (name, body, query))
                suite.check(not runner.contract.problems(answer), "%s: %s", name, runner.contract.problems(answer))
    suite.equal(there(), before, "nothing has changed")
    suite.equal(sorted(set(WAYS) | set(NO_WAYS)), sorted(row["operation"] for row in ways), "the tables have no other operations")


POLICY_WAYS = (test_every_way,)
