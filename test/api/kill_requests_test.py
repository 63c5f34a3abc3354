# SPDX-License-Identifier: Apache-2.0
"""A node that is killed in the middle of a request: before the handler, between its effect and the commit, and between the commit and the
answer, for every operation that changes a cluster or who may use it. The client repeats the request on another node, as it
was told to: it has happened once, with one event and at most one job, and nothing is reserved twice.

There are hosts but no agents: what is asked for is reserved, and goes no further.
"""
import sys
import time
from urllib.parse import quote

from client import Bearer, Broken
from suite import Suite, ends_on_signal
from world import PREFIX, bootstrap, connect, make_fleet, no_limits, sql, start_node

MOMENTS = ("before-effect", "after-effect", "after-commit")
AGAIN_S = 15  # until a killed worker of nginx has a successor, and the key of the request is free


def regions(north, south):
    return {"replicationSpecs": [{"regionConfigs": [
        {"providerName": "ONPREM", "regionName": name, "priority": priority, "electableSpecs": {"instanceSize": "M10", "nodeCount": count}}
        for name, priority, count in (("EU_NORTH", 7, north), ("EU_SOUTH", 6, south))]}]}


# (operation, method, path in the project, body, the status, the job that it starts)
SCENES = [
    ("createGroupCluster", "POST", "/clusters", {"name": "orders", **regions(2, 1)}, 201, "cluster.create"),
    ("updateGroupCluster", "PATCH", "/clusters/orders", regions(3, 2), 200, "cluster.update"),
    ("updateGroupClusterProcessArgs", "PATCH", "/clusters/orders/processArgs", {"max_connections": 70}, 200, "cluster.update"),
    ("restartGroupClusterPrimaries", "POST", "/clusters/orders/restartPrimaries", None, 200, "cluster.restart"),
    ("requestGroupSampleDatasetLoad", "POST", "/sampleDatasetLoad/orders", None, 201, "cluster.load-sample"),
    ("createGroupClusterIndexRollingIndex", "POST", "/clusters/orders/index", {"db": "shop", "collection": "items", "keys": [{"sku": "1"}]}, 202, "index.create"),
    ("startGroupClusterOutageSimulation", "POST", "/clusters/orders/outageSimulation",
     {"outageFilters": [{"cloudProvider": "ONPREM", "regionName": "EU_NORTH"}]}, 200, "cluster.outage-start"),
    ("endGroupClusterOutageSimulation", "DELETE", "/clusters/orders/outageSimulation", None, 200, "cluster.outage-end"),
    ("pinGroupClusterFeatureCompatibilityVersion", "POST", "/clusters/orders:pinFeatureCompatibilityVersion", {}, 204, None),
    ("unpinGroupClusterFeatureCompatibilityVersion", "POST", "/clusters/orders:unpinFeatureCompatibilityVersion", None, 204, None),
    ("createGroupDatabaseUser", "POST", "/databaseUsers",
     {"username": "app", "databaseName": "admin", "password": "correct horse battery", "roles": [{"roleName": "readWrite", "databaseName": "shop"}]},
     201, None),
    ("updateGroupDatabaseUser", "PATCH", "/databaseUsers/admin/app", {"roles": [{"roleName": "read", "databaseName": "shop"}]}, 200, None),
    ("deleteGroupDatabaseUser", "DELETE", "/databaseUsers/admin/app", None, 204, None),
    ("createGroupCustomDbRoleRole", "POST", "/customDBRoles/roles",
     {"roleName": "auditor", "actions": [{"action": "FIND", "resources": [{"db": "shop", "collection": ""}]}]}, 202, None),
    ("updateGroupCustomDbRoleRole", "PATCH", "/customDBRoles/roles/auditor",
     {"actions": [{"action": "INSERT", "resources": [{"db": "shop", "collection": ""}]}]}, 200, None),
    ("deleteGroupCustomDbRoleRole", "DELETE", "/customDBRoles/roles/auditor", None, 204, None),
    ("createGroupAccessListEntry", "POST", "/accessList", [{"cidrBlock": "203.0.113.0/24"}], 200, None),
    ("deleteGroupAccessListEntry", "DELETE", "/accessList/" + quote("203.0.113.0/24", safe=""), None, 204, None),
    ("updateGroupAuditLog", "PATCH", "/auditLog", {"enabled": True, "auditFilter": "{\"classes\": [\"DDL\"]}"}, 200, None),
    ("updateGroupUserSecurity", "PATCH", "/userSecurity",
     {"ldap": {"hostname": "ldap.example.org", "authenticationEnabled": True}}, 202, None),
    ("createGroupFlexCluster", "POST", "/flexClusters",
     {"name": "small", "providerSettings": {"backingProviderName": "ONPREM", "regionName": "EU_NORTH"}}, 201, "cluster.create"),
    ("updateGroupFlexCluster", "PATCH", "/flexClusters/small", {"tags": [{"key": "team", "value": "blue"}]}, 200, None),
    ("deleteGroupFlexCluster", "DELETE", "/flexClusters/small", None, 204, "cluster.delete"),
    ("deleteGroupCluster", "DELETE", "/clusters/orders", None, 202, "cluster.delete"),
]


def settle(project):
    """What workers and hosts would have done by now: every job is done, clusters are as they were asked to be."""
    sql("UPDATE job SET state = 'DONE', finished_at = now() WHERE finished_at IS NULL;"
        "UPDATE resource SET state = 'IDLE', observed_generation = generation WHERE kind IN ('cluster', 'flexCluster') AND scope = '\\x%s';"
        "UPDATE resource SET state = next, document = jsonb_set(document::jsonb, '{state}', to_jsonb(next))::json FROM (SELECT id AS of, "
        "CASE WHEN state LIKE 'START%%' THEN 'SIMULATING' ELSE 'COMPLETE' END AS next FROM resource) n WHERE n.of = id AND kind = 'outageSimulation' "
        "AND scope = '\\x%s';"
        "UPDATE cluster_member SET desired = 'RUNNING', unit = 'active', running = CASE ordinal WHEN 0 THEN 'running' ELSE 'streaming' END, "
        "role = CASE ordinal WHEN 0 THEN 'PRIMARY' WHEN 1 THEN 'SYNC_STANDBY' ELSE 'REPLICA' END" % (project, project))


# Jobs and events so far, the newest job, and the hosts that hold more or less than their members need.
FACTS = """SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM event WHERE org_id = '\\x%s'), (SELECT kind FROM job ORDER BY seq DESC LIMIT 1),
    (SELECT string_agg(name, ' ') FROM host h WHERE (used_cpus, used_memory_mb, used_disk_gb) <> (
        SELECT coalesce(sum(m.cpus), 0), coalesce(sum(m.memory_mb), 0), coalesce(sum(m.disk_gb), 0) FROM cluster_member m WHERE m.host_id = h.id))"""


class Test:
    def __init__(self, suite, org, nodes, healthy):
        self.suite, self.org, self.nodes, self.healthy = suite, org, nodes, healthy
        self.cells = 0

    def ask(self, node, method, path, body, headers=()):
        """The answer, or None when the connection ended without one."""
        try:
            with connect(node, timeout=10) as connection:
                return connection.ask(method, PREFIX + path, Bearer(self.org.token), body, headers)
        except (OSError, Broken, ValueError):
            return None

    def repeat(self, method, path, body, headers):
        until = time.monotonic() + AGAIN_S
        while True:
            answer = self.ask(self.healthy, method, path, body, headers)
            if answer is not None and answer.code() != "IDEMPOTENCY_KEY_IN_FLIGHT" or time.monotonic() > until:
                return answer
            time.sleep(0.1)

    def facts(self):
        jobs, events, job, wrong = sql(FACTS % self.org.home).split("|")
        return int(jobs), int(events), job, wrong

    def is_killed(self, moment, request):
        """A killed worker has a successor a moment later, which may not listen yet: then once more."""
        node, until = self.nodes[moment], time.monotonic() + AGAIN_S
        before = self.kills(node)
        while time.monotonic() < until:
            answer = self.ask(node, *request)
            if answer is not None:
                self.suite.fail("%s: it answered %r" % (moment, answer))
                return False
            for _ in range(20):
                if self.kills(node) > before:
                    return True
                time.sleep(0.05)
        self.suite.fail("%s: nobody was killed by %s %s" % (moment, *request[:2]))
        return False

    def play(self, moment, project, scene):
        operation, method, path, body, status, job = scene
        what = "%s killed %s" % (operation, moment)
        settle(project)
        jobs, events, _, _ = self.facts()
        request = method, "/groups/%s%s" % (project, path), body, {"Idempotency-Key": "%s-%s" % (operation, moment)} if method == "POST" else {}
        if not self.is_killed(moment, request):
            return
        answer = self.repeat(*request)
        # Without a key, what was deleted already is not there any more, and what was changed already is changed to the same again.
        again = method != "POST" and moment == "after-commit"
        fine = {status} | ({404, 409} if method == "DELETE" and again else set())
        self.suite.check(answer is not None and answer.status in fine, "%s: repeated, it answered %r", what, answer)
        jobs_now, events_now, newest, wrong = self.facts()
        self.suite.equal(jobs_now - jobs, 1 if job else 0, what + ": jobs")
        if job:
            self.suite.equal(newest, job, what + ": the job")
        self.suite.check(events_now - events in ({1, 2} if again and method == "PATCH" else {1}), "%s: %d events", what, events_now - events)
        self.suite.equal(wrong, "", what + ": hosts that hold more or less than their members need")
        self.cells += 1

    @staticmethod
    def kills(node):
        """How many workers of nginx ended by SIGKILL."""
        with open(node.stderr, errors="replace") as log:
            return log.read().count("exited on signal 9")


def main():
    ends_on_signal()
    suite = Suite("killed requests")
    healthy = start_node()
    nodes = {moment: start_node(migrate=False, environment={"REEVE_FAILPOINTS": ",".join(
        "request:%s:%s=kill" % (scene[0], moment) for scene in SCENES)}) for moment in MOMENTS}
    try:
        healthy.start()
        for node in nodes.values():
            node.start()
        make_fleet()
        org = bootstrap(healthy.conf, "killed requests")
        no_limits([org.home])
        test = Test(suite, org, nodes, healthy)
        with connect(healthy) as connection:
            org.fetch(connection)
            for moment in MOMENTS:
                project = connection.ask("POST", PREFIX + "/groups", org.bearer(), {"name": moment, "orgId": org.home}).json()["id"]
                for scene in SCENES:
                    test.play(moment, project, scene)
        suite.say("%d cells: %d operations, killed %s" % (test.cells, len(SCENES), ", ".join(MOMENTS)))
        suite.equal(test.cells, len(SCENES) * len(MOMENTS), "cells")
    finally:
        for node in [healthy, *nodes.values()]:
            node.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
