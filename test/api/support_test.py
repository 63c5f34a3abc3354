# SPDX-License-Identifier: Apache-2.0
"""Sessions of the operator's staff on a cluster: only while its owner consents, at the level of the consent, seen by the owner, and gone with it. What hosts are told
is read as a host reads it; what a server makes of it is in test/unit/engine_access_test.c."""
import json
import subprocess
import sys

from agents import Fleet
from client import wait_until
from operator_test import Desk
from suite import Suite, ends_on_signal
from world import PREFIX, World, sql

LOGS, STATISTICS, DATA = "CLUSTER_DATABASE_LOGS", "CLUSTER_INFRASTRUCTURE", "CLUSTER_INFRASTRUCTURE_AND_APP_SERVICES_SYNC_DATA"
SOON_S = 15
FAR = "2099-01-01T00:00:00Z"


class Place:
    def __init__(self, suite, fleet, world, desk):
        self.suite, self.fleet, self.world, self.desk, self.owner = suite, fleet, world, desk, world.a.bearer()
        self.host = fleet.join("h1")
        fleet.command("address", "add", "--host", "h1", "127.1.1.1-127.1.1.20")
        self.project = world.make_project(world.a, "support")
        self.clusters = {name: self.make_cluster(name) for name in ("orders", "other")}
        self.group = "/groups/%s/clusters/" % self.project

    def make_cluster(self, name):
        cluster = self.fleet.make_cluster(self.project, self.world.a.home, name)
        sql("INSERT INTO resource (scope, kind, id, name, org_id, document, state) VALUES ('\\x%s', 'cluster', '\\x%s', '%s', '\\x%s', '{}', 'IDLE')"
            % (self.project, cluster, name, self.world.a.home))
        self.fleet.place(cluster, 0)
        sql("UPDATE cluster_member SET desired = 'RUNNING'")
        return cluster

    def grant(self, kind, until=FAR, name="orders"):
        self.world.must(204, "POST", self.group + name + ":grantVendorEmployeeAccess", self.owner, {"grantType": kind, "expirationTime": until})

    def revoke(self, name="orders"):
        self.world.must(204, "POST", self.group + name + ":revokeVendorEmployeeAccess", self.owner)

    def open(self, **more):
        return self.desk.ask("POST", "/supportSessions", {"cluster": "orders", "reason": "Ticket 1", "from": "198.51.100.7", **more})

    def told(self, name="orders"):
        """The support users that the host is told of for a cluster."""
        cluster = next(one for one in self.host.goal()[1]["clusters"] if one["name"] == name)
        return {user["name"]: user for user in cluster["access"].get("support") or []}

    def events(self):
        answer = self.world.must(200, "GET", "/groups/%s/events?eventType=EMPLOYEE_ACCESS_OPENED&eventType=EMPLOYEE_ACCESS_CLOSED" % self.project, self.owner)
        return [(event["eventTypeName"], event) for event in answer.json()["results"]]

    def refused(self, code, what, **more):
        before = sql("SELECT count(*) FROM resource WHERE kind = 'supportSession'")
        reply = self.open(**more)
        self.suite.equal((reply.code(), sql("SELECT count(*) FROM resource WHERE kind = 'supportSession'")), (code, before), what)


def test_consent(place):
    place.refused("ACCESS_NOT_GRANTED", "a session without any consent")
    place.grant(LOGS)
    place.refused("ACCESS_NOT_GRANTED", "a session when only logs may be seen")
    place.grant(STATISTICS)
    place.refused("ACCESS_NOT_GRANTED", "rows, when only statistics may be seen", level="DATA")
    place.refused("ACCESS_NOT_GRANTED", "another cluster than the one that was opened", cluster="other")
    place.refused("INVALID_ATTRIBUTE_VALUE", "a reason of blanks", reason="  ")
    place.refused("INVALID_ATTRIBUTE_VALUE", "a cluster that is not there", cluster="nowhere")
    sql("UPDATE resource SET document = jsonb_set(document, '{vendorEmployeeAccessGrant,expirationTime}', '\"2020-01-01T00:00:00Z\"') WHERE id = '\\x%s'" % place.clusters["orders"])
    place.refused("ACCESS_NOT_GRANTED", "a session after the consent's time")


def test_session(place):
    suite = place.suite
    place.grant(STATISTICS)
    reply = place.open()
    suite.equal(reply.status, 200, "a session: %r" % reply)
    opened = json.loads(reply.body)
    suite.equal((opened["clusterName"], opened["level"], opened["operator"], opened["from"]), ("orders", "STATISTICS", "ada", "198.51.100.7/32"), "what was opened")
    told = place.told()
    suite.equal(list(told), [opened["username"]], "users that the host is told of")
    user = told[opened["username"]]
    suite.equal((user["from"], user["validUntil"], [role["role"] for role in user["roles"]]), ("198.51.100.7/32", opened["endsAt"], ["clusterMonitor"]), "what the host is told")
    suite.check(user["verifier"].startswith("SCRAM-SHA-256$") and opened["password"] not in json.dumps(told), "a password in the goal")
    suite.equal(place.told("other"), {}, "users of another cluster")
    users = place.world.must(200, "GET", "/groups/%s/databaseUsers" % place.project, place.owner).json()["results"]
    suite.equal(users, [], "users of the project, which its own people change")
    kind, event = place.events()[0]
    suite.equal((kind, event["clusterName"], event["actor"]["name"] if "actor" in event else "ada"), ("EMPLOYEE_ACCESS_OPENED", "orders", "ada"), "the owner sees who: %r" % event)
    suite.check("Ticket 1" in json.dumps(event) and "198.51.100.7" in json.dumps(event), "the owner sees why and from where: %r" % event)
    suite.check(opened["password"] not in json.dumps(event) and "SCRAM" not in json.dumps(event), "secrets in the event")
    listed = json.loads(place.desk.ask("GET", "/supportSessions").body)["results"]
    suite.equal([(one["sessionId"], "password" in one, "verifier" in one) for one in listed], [(opened["sessionId"], False, False)], "the operators' list")
    kept = sql("SELECT string_agg(t::text, '') FROM operator_action t") + sql("SELECT string_agg(document, '') FROM event") + sql("SELECT document FROM resource WHERE kind = 'supportSession'")
    suite.check(opened["password"] not in kept, "the password is kept somewhere")
    reply = place.world.connection.ask("POST", PREFIX + "/groups/%s/databaseUsers" % place.project, place.owner,
                                       {"username": opened["username"], "databaseName": "admin", "password": "correct-horse", "roles": [{"roleName": "read", "databaseName": "x"}]})
    suite.equal((reply.status, reply.code()), (400, "INVALID_ATTRIBUTE_VALUE"), "a tenant takes the name of support staff")

    place.revoke()
    suite.equal(place.told(), {}, "users after the owner took the consent back")
    suite.equal(place.events()[0][0], "EMPLOYEE_ACCESS_CLOSED", "the owner sees that it ended")
    place.refused("ACCESS_NOT_GRANTED", "a session after the consent was taken back")


def test_ends(place):
    suite = place.suite
    place.grant(DATA)
    opened = json.loads(place.open(level="DATA", hours=2).body)
    suite.equal([role["role"] for role in place.told()[opened["username"]]["roles"]], ["clusterMonitor", "readAnyDatabase"], "roles of one who reads rows")
    place.grant(STATISTICS)
    suite.equal(place.told(), {}, "users after a smaller consent took the place of the first")
    opened = json.loads(place.open().body)
    suite.equal(place.desk.ask("DELETE", "/supportSessions/" + opened["sessionId"]).status, 204, "the operator ends it")
    suite.equal(place.told(), {}, "users after the operator ended it")
    suite.equal(place.desk.ask("DELETE", "/supportSessions/" + opened["sessionId"]).status, 404, "once more")

    until = sql("SELECT to_char(now() + interval '10 minutes', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")
    place.grant(STATISTICS, until)
    opened = json.loads(place.open(hours=24).body)
    suite.equal(opened["endsAt"], until, "it ends with the consent, however long it was to be")
    sql("UPDATE resource SET document = document || '{\"deleteAfterDate\": \"2020-01-01T00:00:00Z\"}' WHERE kind = 'supportSession'")
    worker = subprocess.Popen([place.fleet.node.reeved, "worker", "--config", place.fleet.node.conf], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        suite.check(wait_until(lambda: place.told() == {}, SOON_S), "a session whose time is over is removed")
    finally:
        worker.terminate()
        worker.wait(60)
    kind, event = place.events()[0]
    suite.equal((kind, event["clusterName"]), ("EMPLOYEE_ACCESS_CLOSED", "orders"), "the owner sees that its time was over")

    # Another cluster of that name is not the one that was opened.
    place.grant(STATISTICS)
    opened = json.loads(place.open().body)
    sql("UPDATE resource SET document = document || '{\"clusterId\": \"%s\"}' WHERE kind = 'supportSession'" % ("ab" * 12))
    suite.equal(place.told(), {}, "a session of a cluster that is gone is none of its successor's")
    # The consent ends, and nobody has removed the session yet.
    sql("UPDATE resource SET document = document || '{\"clusterId\": \"%s\"}' WHERE kind = 'supportSession'" % place.clusters["orders"])
    suite.equal(len(place.told()), 1, "the session is told again")
    sql("UPDATE resource SET document = jsonb_set(document, '{vendorEmployeeAccessGrant,expirationTime}', '\"2020-01-01T00:00:00Z\"') WHERE id = '\\x%s'" % place.clusters["orders"])
    suite.equal(place.told(), {}, "a session without a consent is told to nobody")


def main():
    ends_on_signal()
    suite = Suite("support")
    with Fleet(workers=1) as fleet:
        world = World(fleet.node, with_roles=False)
        desk = Desk(fleet.node.operator_port, token=json.loads(fleet.node.run("operator", "add", "ada", "--json").stdout)["token"])
        place = Place(suite, fleet, world, desk)
        test_consent(place)
        test_session(place)
        test_ends(place)
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
