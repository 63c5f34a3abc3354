# SPDX-License-Identifier: Apache-2.0
"""Groups of a real directory (slapd) and a real worker: people of a group are users of the project's databases, with its roles, and are none
any more when they left it. A directory that does not answer takes nobody's roles away."""
import json
import os
import shutil
import sys
import tempfile
import time

from client import wait_until
from group_directory import BASE, BIND, BIND_PASSWORD, GroupDirectory, entries, group, person
from node import free_port, make_certificate
from suite import Suite, ends_on_signal
from webhooks_test import Worker
from world import PREFIX, World, connect, sql, start_node

PASSWORD = BIND_PASSWORD
READ = [{"roleName": "read", "databaseName": "shop"}]
WRITE = [{"roleName": "readWrite", "databaseName": "shop"}]
SEARCH = [{"match": "(.+)", "ldapQuery": BASE + "??sub?(&(objectClass=inetOrgPerson)(uid={0}))"}]
TOGETHER = [{"match": "(.+)", "substitution": "uid={0},ou=people," + BASE}]
BY_MEMBER = "ou=groups,%s??sub?(&(objectClass=groupOfNames)(member={USER}))" % BASE


class Test:
    def __init__(self, suite, world, node, directory):
        self.suite, self.world, self.directory = suite, world, directory
        self.connection, self.auth = connect(node), world.a.bearer()
        self.group = PREFIX + "/groups/" + world.p

    def ask(self, method, path, body=None, status=None):
        answer = self.connection.ask(method, self.group + path, self.auth, body)
        if status is not None and answer.status != status:
            raise AssertionError("%d expected: %r" % (status, answer))
        return answer

    def configure(self, status=202, **ldap):
        return self.ask("PATCH", "/userSecurity", {"ldap": ldap}, status)

    def goal(self, cluster="orders"):
        told = json.loads(sql("SELECT project_access_goal(decode('%s', 'hex'), '%s')" % (self.world.p, cluster)))
        return {user["name"]: (user["login"], sorted(role["role"] for role in user["roles"])) for user in told["users"]}

    def names(self, cluster="orders"):
        return sorted(self.goal(cluster))

    def events(self, kind):
        return self.ask("GET", "/events?eventType=" + kind, status=200).json()["results"]

    @staticmethod
    def hurry():
        """A test need not wait until the directory is asked again."""
        sql("UPDATE directory_sync SET next_try_at = now(), slow_until = '-infinity', rest_until = '-infinity' WHERE next_try_at < 'infinity'")

    def becomes(self, what, wanted, within=15, hurries=True):
        def is_there():
            if hurries:
                self.hurry()
            return what() == wanted
        return wait_until(is_there, within)

    def add_group(self, name, roles, status=201, **more):
        return self.ask("POST", "/databaseUsers", {"username": name, "databaseName": "$external", "ldapAuthType": "GROUP", "roles": roles, **more}, status)

    def delete(self, name):
        self.ask("DELETE", "/databaseUsers/$external/" + name.replace("=", "%3D").replace(",", "%2C"), status=204)

    def asked_again(self):
        """Once more, completely."""
        epoch = int(sql("SELECT lease_epoch + CASE WHEN lease_until IS NULL THEN 1 ELSE 2 END FROM directory_sync"))
        wait_until(lambda: sql("SELECT lease_epoch > %d OR lease_epoch = %d AND lease_until IS NULL FROM directory_sync" % (epoch, epoch)) == "t" or self.hurry(), 20)

    # ---- People come ----
    def test_people_are_users(self):
        self.add_group(group("dba"), READ)
        self.suite.equal(self.names(), [], "nobody, before groups are switched on")
        with open(self.directory.certificate, encoding="ascii") as file:
            authority = file.read()
        began = time.monotonic()
        self.configure(hostname="127.0.0.1", port=self.directory.port, bindUsername=BIND, bindPassword=PASSWORD, caCertificate=authority,
                       userToDNMapping=SEARCH, authenticationEnabled=True, authorizationEnabled=True)
        self.suite.check(self.becomes(self.goal, {"ann": ("LDAP", ["read"]), "bob": ("LDAP", ["read"])}, hurries=False),
                         "the people of the group: %r", self.goal())
        self.suite.check(time.monotonic() - began < 5, "they are users at once")
        told = self.events("LDAP_GROUP_PEOPLE_CHANGED")
        self.suite.equal([(one["after"]["username"], one["after"]["added"], one["after"]["people"]) for one in told],
                         [(group("dba"), ["ann", "bob"], 2)], "what is told")
        # Two groups: both of their roles. A group of one cluster: there only.
        self.add_group(group("writers"), WRITE, scopes=[{"name": "orders", "type": "CLUSTER"}])
        self.suite.check(self.becomes(self.goal, {"ann": ("LDAP", ["read"]), "bob": ("LDAP", ["read", "readWrite"]), "carol": ("LDAP", ["readWrite"])},
                                      hurries=False), "the roles of both groups: %r", self.goal())
        self.suite.equal(self.names("billing"), ["ann", "bob"], "users of another cluster")

    def test_people_come_and_go(self):
        self.directory.add("dba", person("dave"))
        began = time.monotonic()
        self.suite.check(self.becomes(lambda: "dave" in self.names(), True, within=45, hurries=False), "who joins a group becomes a user")
        self.suite.check(time.monotonic() - began < 40, "it took %.1f s" % (time.monotonic() - began))
        before = sql("SELECT generation FROM project_access WHERE project_id = '\\x%s'" % self.world.p)
        self.directory.remove("dba", person("dave"))
        began = time.monotonic()
        self.suite.check(self.becomes(lambda: "dave" in self.names(), False, within=45, hurries=False), "who left a group is no user any more")
        self.suite.check(time.monotonic() - began < 40, "it took %.1f s" % (time.monotonic() - began))
        after = sql("SELECT generation FROM project_access WHERE project_id = '\\x%s'" % self.world.p)
        self.suite.check(int(after) == int(before) + 1, "members are told once")

    # ---- Every way to find people ----
    def test_ways(self):
        everybody = ["ann", "bob", "carol"]
        for what, ldap in (("a name that is put together", {"userToDNMapping": TOGETHER}),
                           ("groups that name people", {"authzQueryTemplate": BY_MEMBER}),
                           ("and people that are searched", {"userToDNMapping": SEARCH}),
                           ("as at first", {"authzQueryTemplate": "{USER}?memberOf?base"})):
            self.configure(**ldap)
            self.suite.check(self.becomes(self.names, everybody, hurries=False), "%s: %r", what, self.names())
        # People elsewhere are found by a search, and are none of those whose names are put together.
        self.directory.change("dn: %s\nobjectClass: inetOrgPerson\nuid: eve\ncn: eve\nsn: x\n\n" % person("eve", "ou=others," + BASE))
        self.directory.add("dba", person("eve", "ou=others," + BASE))
        self.suite.check(self.becomes(self.names, everybody + ["eve"]), "somebody elsewhere is found: %r", self.names())
        for ldap in ({"userToDNMapping": TOGETHER}, {"authzQueryTemplate": BY_MEMBER}):
            self.configure(**ldap)
            self.suite.check(self.becomes(self.names, everybody), "and has no name that leads there: %r", self.names())
        self.configure(userToDNMapping=SEARCH, authzQueryTemplate="{USER}?memberOf?base")
        self.directory.remove("dba", person("eve", "ou=others," + BASE))
        self.suite.check(self.becomes(self.names, everybody), "as it was: %r", self.names())
        for wrong, field in (({"userToDNMapping": []}, "ldap.userToDNMapping"),
                             ({"userToDNMapping": [{"match": "(.+)", "substitution": "{0}@example.org"}]}, "ldap.userToDNMapping[0].substitution"),
                             ({"userToDNMapping": [{"match": "(.+)", "ldapQuery": BASE + "??sub?(|(uid={0})(mail={0}))"}]}, "ldap.userToDNMapping[0].ldapQuery"),
                             ({"authzQueryTemplate": "{USER}?memberOf?sub"}, "ldap.authzQueryTemplate"),
                             ({"authzQueryTemplate": BASE + "?cn?sub?(cn=x)"}, "ldap.authzQueryTemplate")):
            answer = self.configure(400, **wrong)
            self.suite.equal(answer.json()["parameters"][0], field, "%r is refused" % wrong)

    # ---- Names ----
    def test_names(self):
        self.ask("POST", "/customDBRoles/roles", {"roleName": "auditor", "actions": [{"action": "FIND", "resources": [{"db": "shop"}]}]}, 202)
        self.ask("POST", "/databaseUsers", {"username": "app", "password": PASSWORD, "roles": READ}, 201)
        odd = ["app", "auditor", "postgres", "reeve-support-1", "pg_monitor", "readWrite", "x" * 64, "a*b", "a(b)", 'quo\\"te', "ünal", "a b"]
        for name in odd:
            self.directory.change("dn: uid=%s,ou=people,%s\nobjectClass: inetOrgPerson\ncn: x\nsn: x\n\n" % (name, BASE))
            self.directory.add("dba", "uid=%s,ou=people,%s" % (name, BASE))
        self.suite.check(self.becomes(self.names, ["a b", "ann", "app", "bob", "carol"], 30), "users: %r", self.names())
        self.suite.equal(self.goal()["app"], ("SCRAM", ["read"]), "a user of the project keeps what it has")
        told = {one["name"]: one["reason"] for one in self.events("LDAP_GROUP_NAMES_SKIPPED")[0]["after"]["skipped"]}
        self.suite.equal(len(told), len(odd) - 1, "names that are told: %r" % told)
        self.suite.check("custom role" in told["auditor"] and "reserved" in told["postgres"] and "database user" in told["app"], "why: %r", told)
        count = len(self.events("LDAP_GROUP_NAMES_SKIPPED"))
        self.asked_again()
        self.suite.equal(len(self.events("LDAP_GROUP_NAMES_SKIPPED")), count, "they are told once")
        # A user or role that comes later takes the name at once.
        self.ask("POST", "/databaseUsers", {"username": "ann", "password": PASSWORD, "roles": WRITE}, 201)
        self.suite.equal(self.goal()["ann"], ("SCRAM", ["readWrite"]), "a user of that name")
        self.ask("DELETE", "/databaseUsers/admin/ann", status=204)
        self.suite.check(self.becomes(lambda: self.goal().get("ann"), ("LDAP", ["read"]), hurries=False), "and afterwards: %r", self.goal())
        for name in odd:
            self.directory.remove("dba", "uid=%s,ou=people,%s" % (name, BASE))
        self.suite.check(self.becomes(self.names, ["ann", "app", "bob", "carol"]), "as it was: %r", self.names())
        self.ask("DELETE", "/databaseUsers/admin/app", status=204)

    # ---- A directory that is away, or knows nobody ----
    def test_away(self):
        before = self.goal()
        self.directory.stop()
        self.suite.check(wait_until(lambda: (self.hurry(), len(self.events("LDAP_GROUPS_NOT_READ")) == 1)[1], 30), "it is told that the directory is away")
        self.asked_again()
        self.suite.equal(self.goal(), before, "users while it is away")
        self.suite.equal(len(self.events("LDAP_GROUPS_NOT_READ")), 1, "it is told once")
        alerts = self.events("LDAP_GROUPS_NOT_READ")[0]["after"]
        self.suite.check(alerts["hostname"] == "127.0.0.1" and "cannot be reached" in alerts["problem"], "what is told: %r", alerts)
        self.suite.check(PASSWORD not in json.dumps(alerts), "without the password")
        self.directory.start()
        wait_until(self.directory.answers, 20)
        self.suite.check(wait_until(lambda: (self.hurry(), len(self.events("LDAP_GROUPS_READ_AGAIN")) == 1)[1], 30), "it is told that it is back")
        self.suite.equal(self.goal(), before, "users when it is back")
        # A password that is not good any more is the same.
        self.configure(bindPassword="another one, wrong")
        self.suite.check(wait_until(lambda: (self.hurry(), len(self.events("LDAP_GROUPS_NOT_READ")) == 2)[1], 30), "a wrong password is told")
        self.suite.equal(self.goal(), before, "users while the password is wrong")
        self.configure(bindPassword=PASSWORD)
        self.suite.check(wait_until(lambda: sql("SELECT failures FROM directory_sync") == "0", 20), "it works again")

    def all_at_once(self, what):
        self.directory.change("dn: %s\nchangetype: modify\n%s: member\nmember: %s\nmember: %s\n\n" % (group("dba"), what, person("ann"), person("bob")))

    def test_nobody(self):
        self.all_at_once("delete")
        self.suite.check(wait_until(lambda: (self.hurry(), len(self.events("LDAP_GROUP_EMPTY")) == 1)[1], 20), "it is told that nobody is in the group")
        self.asked_again()
        self.suite.equal(self.names(), ["ann", "bob", "carol"], "that is not believed at once")
        self.directory.add("dba", person("ann"))
        self.suite.check(self.becomes(lambda: self.goal().get("bob"), ("LDAP", ["readWrite"])), "somebody is believed at once: %r", self.goal())
        self.directory.remove("dba", person("ann"))
        self.suite.check(self.becomes(self.names, ["bob", "carol"]), "that the last one left, too: %r", self.names())
        self.all_at_once("add")
        self.suite.check(self.becomes(self.names, ["ann", "bob", "carol"]), "both again: %r", self.names())
        self.all_at_once("delete")
        self.suite.check(wait_until(lambda: (self.hurry(), len(self.events("LDAP_GROUP_EMPTY")) == 2)[1], 20), "it is told again")
        sql("UPDATE directory_group SET empty_since = empty_since - interval '9 minutes' WHERE empty_since IS NOT NULL")
        self.asked_again()
        self.suite.check("ann" in self.names(), "after nine minutes")
        sql("UPDATE directory_group SET empty_since = empty_since - interval '61 seconds' WHERE empty_since IS NOT NULL")
        self.suite.check(self.becomes(self.names, ["bob", "carol"]), "after ten minutes: %r", self.names())
        self.directory.add("dba", person("ann"))
        self.suite.check(self.becomes(self.names, ["ann", "bob", "carol"]), "as it was: %r", self.names())

    # ---- Bounds ----
    def test_bounds(self):
        many = ["p%04d" % number for number in range(1001)]
        self.directory.change("".join("dn: %s\nobjectClass: inetOrgPerson\nuid: %s\ncn: x\nsn: x\n\n" % (person(name), name) for name in many))
        self.directory.change("dn: %s\nobjectClass: groupOfNames\ncn: many\n%s\n" % (
            group("many"), "".join("member: %s\n" % person(name) for name in many[:1000])))
        self.add_group(group("many"), READ)
        self.suite.check(self.becomes(lambda: len(self.names()), 1003, 30, hurries=False), "a thousand people, in pages: %d" % len(self.names()))
        self.directory.add("many", person(many[1000]))
        told = len(self.events("LDAP_GROUPS_NOT_READ"))
        self.suite.check(wait_until(lambda: (self.hurry(), len(self.events("LDAP_GROUPS_NOT_READ")) == told + 1)[1], 30), "one more is told")
        self.suite.check("more people than a group may have" in self.events("LDAP_GROUPS_NOT_READ")[0]["after"]["problem"], "why")
        self.suite.equal(len(self.names()), 1003, "users then")
        self.directory.add("writers", person("ann"))
        self.suite.check(self.becomes(lambda: self.goal()["ann"], ("LDAP", ["read", "readWrite"])), "other groups go on")
        self.directory.remove("writers", person("ann"))
        self.delete(group("many"))
        self.suite.equal(self.names(), ["ann", "bob", "carol"], "a group that is deleted is gone at once")

    def test_bounds_of_roles(self):
        def roles(count):
            return [{"roleName": "read", "databaseName": "db%d" % number} for number in range(count)]
        answer = self.add_group(group("none"), roles(11), status=400)
        self.suite.equal(answer.json()["parameters"][0], "roles", "eleven roles are refused")
        self.directory.remove("many", person("p1000"))
        self.add_group(group("many"), roles(4))
        self.suite.check(self.becomes(lambda: len(self.names()), 1003, 30, hurries=False), "a thousand people with four roles each: %d" % len(self.names()))
        told = len(self.events("LDAP_GROUPS_NOT_READ"))
        place = "/databaseUsers/$external/" + group("many").replace("=", "%3D").replace(",", "%2C")
        answer = self.ask("PATCH", place, {"roles": roles(11)}, 400)
        self.ask("PATCH", place, {"roles": roles(6)}, 200)
        self.suite.equal(self.names(), ["ann", "bob", "carol"], "with six each members are told of the groups before only")
        self.suite.check(wait_until(lambda: (self.hurry(), len(self.events("LDAP_GROUPS_NOT_READ")) == told + 1)[1], 30), "and that is told")
        self.suite.check("more than 5000 roles" in self.events("LDAP_GROUPS_NOT_READ")[0]["after"]["problem"], "why")
        self.ask("PATCH", place, {"roles": roles(2)}, 200)
        self.suite.equal(len(self.names()), 1003, "with fewer they are users again")
        self.delete(group("many"))

    # ---- The end ----
    def test_end(self):
        self.configure(port=free_port())
        self.suite.equal(self.names(), [], "of another directory nobody is known")
        self.configure(port=self.directory.port)
        self.suite.check(self.becomes(self.names, ["ann", "bob", "carol"], hurries=False), "until it answered: %r", self.names())
        self.delete(group("writers"))
        self.suite.equal(self.names(), ["ann"], "without a group")
        self.configure(authorizationEnabled=False)
        self.suite.equal(self.names(), [], "when groups are switched off")
        before = sql("SELECT changes FROM directory_sync")
        self.suite.equal(sql("SELECT next_try_at = 'infinity' FROM directory_sync"), "t", "and nobody is asked")
        self.configure(authorizationEnabled=True)
        self.suite.check(self.becomes(self.names, ["ann"], hurries=False), "and on again")
        self.suite.check(int(sql("SELECT changes FROM directory_sync")) > int(before), "an answer from before would not count")
        self.configure(authenticationEnabled=False)
        self.suite.equal(self.names(), [], "when the directory is switched off")


def main():
    suite = Suite("groups")
    ends_on_signal()
    folder = tempfile.mkdtemp(prefix="groups.", dir=os.environ.get("REEVE_TEST_DIR"))
    port = free_port()
    certificate, key = make_certificate(folder, "directory")
    directory = GroupDirectory(folder, certificate, key, ["ldaps://127.0.0.1:%d" % port])
    directory.port = port
    worker = None
    try:
        directory.start()
        suite.check(wait_until(directory.answers, 20), "slapd does not answer")
        directory.change(entries(["ann", "bob", "carol", "dave"], {"dba": ["ann", "bob"], "writers": ["bob", "carol"]}))
        with start_node(workers=1, settings={"egress_allow": "127.0.0.1/32"}) as node:
            world = World(node, with_roles=False)
            worker = Worker(node.conf)
            worker.start()
            test = Test(suite, world, node, directory)
            for part in (test.test_people_are_users, test.test_people_come_and_go, test.test_ways, test.test_names, test.test_away, test.test_nobody,
                         test.test_bounds, test.test_bounds_of_roles, test.test_end):
                part()
            suite.equal(worker.stop(), 0, "status of the worker")
            world.close()
    finally:
        directory.stop()
        if worker is not None and worker.process.poll() is None:
            worker.kill()
        shutil.rmtree(folder, ignore_errors=True)
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
