# SPDX-License-Identifier: Apache-2.0
"""Access to clusters with a real worker: what is temporary ends in time, a real directory (slapd) is checked, certificates are
good for OpenSSL, members are told what they must know, and an index is asked of whoever is the primary."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from client import PATIENCE, wait_until
from node import free_port, make_certificate
from suite import Suite, ends_on_signal
from webhooks_test import Worker
from world import PREFIX, World, connect, new_id, sql, start_node

PASSWORD = "correct horse battery"


class Directory:
    """A slapd of our own, with TLS on a loopback port."""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None
        self.certificate, key = make_certificate(folder, "directory")
        data = os.path.join(folder, "data")
        os.mkdir(data)
        self.config = os.path.join(folder, "slapd.conf")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write("include /etc/ldap/schema/core.schema\nmodulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile %s/pid\n"
                       "TLSCACertificateFile %s\nTLSCertificateFile %s\nTLSCertificateKeyFile %s\ndatabase mdb\nmaxsize 10485760\n"
                       "suffix \"dc=example,dc=org\"\nrootdn \"cn=reeve,dc=example,dc=org\"\nrootpw \"%s\"\ndirectory %s\n"
                       % (folder, self.certificate, self.certificate, key, PASSWORD, data))
        entries = "dn: dc=example,dc=org\nobjectClass: dcObject\nobjectClass: organization\no: example\ndc: example\n\n" \
                  "dn: cn=reeve,dc=example,dc=org\nobjectClass: person\nsn: reeve\ncn: reeve\n\n"
        subprocess.run(["/usr/sbin/slapadd", "-f", self.config], input=entries, text=True, check=True, capture_output=True)

    def start(self):
        self.process = subprocess.Popen(["/usr/sbin/slapd", "-f", self.config, "-h", "ldaps://127.0.0.1:%d" % self.port, "-d", "0"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return wait_until(self.answers, 20)

    def answers(self):
        asked = subprocess.run(["ldapsearch", "-x", "-H", "ldaps://127.0.0.1:%d" % self.port, "-b", "", "-s", "base", "-o", "nettimeout=2"],
                               env={**os.environ, "LDAPTLS_CACERT": self.certificate}, capture_output=True)
        return asked.returncode == 0

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)


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

    # ---- What is temporary ----
    def test_end(self):
        ends = time.time() + 3 + 4 * PATIENCE  # later than both are there and were asked for
        text = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ends))
        self.ask("POST", "/accessList", [{"ipAddress": "203.0.113.9", "deleteAfterDate": text}, {"ipAddress": "203.0.113.10"}], 200)
        self.ask("POST", "/databaseUsers", {"username": "guest", "password": PASSWORD, "deleteAfterDate": text,
                                            "roles": [{"roleName": "read", "databaseName": "shop"}]}, 201)
        paths = ("/accessList/203.0.113.9", "/databaseUsers/admin/guest")
        for path in paths:
            self.suite.equal(self.ask("GET", path).status, 200, path + " before its time")
        moment = int(ends)  # dates have whole seconds
        gone = wait_until(lambda: all(self.ask("GET", path).status == 404 for path in paths), 30)
        late = time.time() - moment
        self.suite.check(gone and 0 <= late < 2.5 * PATIENCE, "what is temporary was removed %.1f s after its time", late)
        self.suite.equal(self.ask("GET", "/accessList/203.0.113.10").status, 200, "what lasts")
        for kind in ("NETWORK_PERMISSION_ENTRY_EXPIRED", "DATABASE_USER_EXPIRED"):
            events = self.ask("GET", "/events?eventType=" + kind, status=200).json()
            self.suite.equal(events["totalCount"], 1, "events of " + kind)
            self.suite.check("SCRAM" not in json.dumps(events), "the event holds the verifier")

    # ---- The directory ----
    def check(self, wanted, validations, **changes):
        with open(self.directory.certificate, encoding="ascii") as file:
            question = {"hostname": "127.0.0.1", "port": self.directory.port, "bindUsername": "cn=reeve,dc=example,dc=org",
                        "bindPassword": PASSWORD, "caCertificate": file.read(), **changes}
        question = {name: value for name, value in question.items() if value is not None}
        asked = self.ask("POST", "/userSecurity/ldap/verify", question, 200).json()
        path = "/userSecurity/ldap/verify/" + asked["requestId"]
        wait_until(lambda: self.ask("GET", path, status=200).json()["status"] != "PENDING", 30)
        answer = self.ask("GET", path, status=200).json()
        self.suite.equal((answer["status"], ["%s %s" % (one["validationType"], one["status"]) for one in answer["validations"]]),
                         (wanted, validations), "a check with %r (%s)" % (changes, answer.get("problem")))
        self.suite.check(PASSWORD not in json.dumps(answer) and "sealed" not in answer, "the answer shows the password")
        left = sql("SELECT document ? 'sealed' FROM resource WHERE kind = 'ldapVerification' AND name = '%s'" % asked["requestId"])
        self.suite.equal(left, "f", "the password is gone after the check")

    def test_directory(self):
        server, reached, known = "SERVER_SPECIFIED OK", "CONNECT OK", "AUTHENTICATE OK"
        self.check("SUCCESS", [server, reached, known, "PARSE_AUTHZ_QUERY OK", "QUERY_SERVER OK"])
        self.check("SUCCESS", [server, reached, known, "PARSE_AUTHZ_QUERY OK", "QUERY_SERVER OK"],
                   authzQueryTemplate="dc=example,dc=org?cn?sub?(cn=reeve)")
        self.check("FAIL", [server, reached, "AUTHENTICATE FAIL"], bindPassword="not the password")
        self.check("FAIL", [server, reached, known, "PARSE_AUTHZ_QUERY FAIL"], authzQueryTemplate="{USER}?memberOf?everywhere")
        self.check("FAIL", [server, reached, known, "PARSE_AUTHZ_QUERY OK", "QUERY_SERVER FAIL"], authzQueryTemplate="dc=nowhere?cn?base")
        # Its certificate is its own authority, which the system does not know.
        self.check("FAIL", [server, "CONNECT FAIL"], caCertificate=None)
        self.check("FAIL", [server, "CONNECT FAIL"], port=free_port())
        # An address that the operator did not allow is not even connected to.
        self.check("FAIL", ["SERVER_SPECIFIED FAIL"], hostname="127.0.0.2")
        self.check("FAIL", ["SERVER_SPECIFIED FAIL"], hostname="::1")

    # ---- Certificates ----
    def test_certificates(self, folder):
        user = {"username": "CN=robot", "databaseName": "$external", "x509Type": "MANAGED", "roles": [{"roleName": "read", "databaseName": "shop"}]}
        self.ask("POST", "/databaseUsers", user, 201)
        made = self.ask("POST", "/databaseUsers/CN=robot/certs", {"monthsUntilExpiration": 1}, 201).json()
        goal = self.goal("orders")
        files = {}
        for name, text in (("user.crt", made["certificate"]), ("user.key", made["privateKey"]), ("authorities.crt", goal["authorities"])):
            files[name] = os.path.join(folder, name)
            with open(files[name], "w", encoding="ascii") as file:
                file.write(text)

        def openssl(*words):
            return subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
        good = openssl("verify", "-CAfile", files["authorities.crt"], "-purpose", "sslclient", files["user.crt"])
        self.suite.check(good.returncode == 0, "members would not take the certificate: %s", good.stdout + good.stderr)
        subject = openssl("x509", "-in", files["user.crt"], "-noout", "-subject", "-nameopt", "RFC2253").stdout.strip()
        self.suite.equal(subject, "subject=CN=robot", "who the certificate is for, as PostgreSQL writes it")
        serial = openssl("x509", "-in", files["user.crt"], "-noout", "-serial").stdout.strip()
        self.suite.equal(serial, "serial=" + made["serialNumber"], "its number")
        keys = [openssl(*words).stdout for words in (("x509", "-in", files["user.crt"], "-noout", "-pubkey"), ("pkey", "-in", files["user.key"], "-pubout"))]
        self.suite.check(keys[0] == keys[1] and "BEGIN PUBLIC KEY" in keys[0], "the key is another one's")
        # The customer's own authority, beside ours.
        with open(self.directory.certificate, encoding="ascii") as file:
            own = file.read()
        self.ask("PATCH", "/userSecurity", {"customerX509": {"cas": own}}, 202)
        self.suite.check(own.strip() in self.goal("orders")["authorities"], "members are not told the customer's authority")
        self.ask("DELETE", "/userSecurity/customerX509", status=202)
        self.suite.check(own.strip() not in self.goal("orders")["authorities"], "members are still told the customer's authority")

    # ---- What members are told ----
    def goal(self, cluster):
        return json.loads(sql("SELECT project_access_goal(decode('%s', 'hex'), '%s')" % (self.world.p, cluster)))

    def test_goal(self):
        roles = [{"roleName": "readWrite", "databaseName": "shop"}]
        self.ask("POST", "/databaseUsers", {"username": "everywhere", "password": PASSWORD, "roles": roles}, 201)
        self.ask("POST", "/databaseUsers", {"username": "somewhere", "password": PASSWORD, "roles": roles,
                                            "scopes": [{"name": "orders", "type": "CLUSTER"}]}, 201)
        self.ask("POST", "/customDBRoles/roles", {"roleName": "auditor", "actions": [
            {"action": "FIND", "resources": [{"db": "shop"}]}, {"action": "KILL_OP", "resources": [{"cluster": True}]}]}, 202)
        here, there = self.goal("orders"), self.goal("billing")
        users = {user["name"]: user for user in here["users"]}
        self.suite.check(users["everywhere"]["verifier"].startswith("SCRAM-SHA-256$4096:") and users["everywhere"]["login"] == "SCRAM",
                         "what members are told of a user: %r", users["everywhere"])
        self.suite.check("somewhere" in users and "somewhere" not in {user["name"] for user in there["users"]}, "a scope is not held")
        self.suite.check(PASSWORD not in json.dumps(here), "members are told a password")
        self.suite.check("203.0.113.10/32" in here["networks"], "networks: %r", here["networks"])
        role = next(one for one in here["roles"] if one["name"] == "auditor")
        self.suite.equal([(one["action"], one["database"]) for one in role["privileges"]], [("FIND", "shop"), ("KILL_OP", "")], "privileges")

    def test_goal_of_audit_and_directory(self):
        self.suite.equal((self.goal("orders")["audit"], self.goal("orders")["ldap"]), (None, None), "what members are told of neither")
        self.ask("PATCH", "/auditLog", {"enabled": True, "auditAuthorizationSuccess": True, "auditFilter": json.dumps(
            {"classes": ["DDL"], "users": ["everywhere"]})}, 200)
        self.suite.equal(self.goal("orders")["audit"], {"classes": ["DDL"], "users": ["everywhere"], "databases": [], "catalog": False,
                                                        "parameters": False, "logins": True}, "what members are to record")
        self.ask("PATCH", "/auditLog", {"enabled": False}, 200)
        self.suite.equal(self.goal("orders")["audit"], None, "what members are to record then")
        query = [{"match": "(.+)", "ldapQuery": "dc=example,dc=org??sub?(uid={0})"}]
        self.ask("PATCH", "/userSecurity", {"ldap": {
            "hostname": "127.0.0.1", "bindUsername": "cn=reeve,dc=example,dc=org", "bindPassword": PASSWORD, "userToDNMapping": query,
            "authenticationEnabled": True}}, 202)
        self.ask("POST", "/databaseUsers", {"username": "ann", "databaseName": "$external", "ldapAuthType": "USER",
                                            "roles": [{"roleName": "read", "databaseName": "shop"}]}, 201)
        told = self.goal("orders")
        self.suite.check(told["ldap"]["bindPassword"].startswith("sealed:") and PASSWORD not in json.dumps(told), "the password is not sealed")
        del told["ldap"]["bindPassword"]
        self.suite.equal(told["ldap"], {"hostname": "127.0.0.1", "port": 636, "authority": "", "base": "dc=example,dc=org",
                                        "filter": "(uid=$username)", "bindUsername": "cn=reeve,dc=example,dc=org"}, "the directory")
        self.suite.equal([user["login"] for user in told["users"] if user["name"] == "ann"], ["LDAP"], "the login of its user")
        self.ask("DELETE", "/userSecurity/ldap/userToDNMapping", status=202)
        self.suite.equal(self.goal("orders")["ldap"], {"hostname": "127.0.0.1", "port": 636, "authority": "", "prefix": "", "suffix": ""},
                         "the directory without a mapping needs no password")
        self.ask("PATCH", "/userSecurity", {"ldap": {"authenticationEnabled": False}}, 202)
        self.suite.equal(self.goal("orders")["ldap"], None, "the directory when it is switched off")

    # ---- Status, addresses and indexes, with members ----
    def make_cluster(self):
        self.host, self.cluster, self.members = new_id(), new_id(), [new_id(), new_id()]
        sql("INSERT INTO provider VALUES ('LAB') ON CONFLICT DO NOTHING; INSERT INTO region VALUES ('LAB', 'NORTH') ON CONFLICT DO NOTHING;"
            "INSERT INTO instance_size VALUES ('LAB10', 1, 100, 1, 10, 1) ON CONFLICT DO NOTHING;"
            "INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, address) VALUES ('\\x%s', 'users-test', 'LAB', 'NORTH', 'a', 9, 9000, 90, '192.0.2.1');"
            "INSERT INTO host_goal_version (host_id) VALUES ('\\x%s') ON CONFLICT DO NOTHING;"
            "INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES ('\\x%s', '\\x%s', '\\x%s', 'orders', 'usrtst', '17');"
            "INSERT INTO resource (scope, kind, id, name, org_id, document, state) VALUES ('\\x%s', 'cluster', '\\x%s', 'orders', '\\x%s', '{}', 'IDLE')"
            % (self.host, self.host, self.cluster, self.world.a.home, self.world.p, self.world.p, self.cluster, self.world.a.home))
        for number, member in enumerate(self.members):
            sql("INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb, role) "
                "VALUES ('\\x%s', '\\x%s', '\\x%s', '\\x%s', %d, 'RUNNING', 'LAB10', 1, 100, 1, '%s');"
                "INSERT INTO host_address (address, prefix, host_id, member_id) VALUES ('192.0.2.%d', 24, '\\x%s', '\\x%s')"
                % (member, self.world.a.home, self.cluster, self.host, number, ("PRIMARY", "REPLICA")[number], 10 + number, self.host, member))

    def test_status(self):
        self.make_cluster()
        self.ask("POST", "/accessList", [{"cidrBlock": "198.51.100.0/24"}], 200)
        status = lambda: self.ask("GET", "/accessList/198.51.100.0%2F24/status", status=200).json()["STATUS"]
        self.suite.equal(status(), "PENDING", "an entry that no member knows")
        generation = sql("SELECT generation FROM project_access WHERE project_id = '\\x%s'" % self.world.p)
        sql("UPDATE cluster_member SET applied_access = %s WHERE id = '\\x%s'" % (generation, self.members[0]))
        self.suite.equal(status(), "PENDING", "an entry that one of two members knows")
        sql("UPDATE cluster_member SET applied_access = %s WHERE id = '\\x%s'" % (generation, self.members[1]))
        self.suite.equal(status(), "ACTIVE", "an entry that all members know")
        addresses = self.ask("GET", "/ipAddresses", status=200).json()["services"]["clusters"]
        self.suite.equal(addresses, [{"clusterName": "orders", "inbound": ["192.0.2.10", "192.0.2.11"], "outbound": ["192.0.2.1"],
                                      "futureInbound": [], "futureOutbound": []}], "addresses")

    def task(self):
        row = sql("SELECT encode(member_id, 'hex') || ' ' || kind || ' ' || parameters::text FROM host_task WHERE host_id = '\\x%s' AND outcome IS NULL" % self.host)
        member, _, rest = row.partition(" ")
        return member, rest

    def test_index(self):
        for wrong, named in (({"keys": [{"a": 1, "b": 1}]}, "keys[0]"), ({"keys": [{}]}, "keys[0]"), ({"keys": [{"a": 2}]}, "keys[0]"),
                             ({"keys": [{"a": "text"}]}, "keys[0]"), ({"keys": [{"a; DROP": 1}]}, "keys[0]"), ({"db": "postgres"}, "db"),
                             ({"keys": []}, "keys"), ({"collection": "a.b.c"}, "collection"), ({"options": {"name": "a b"}}, "options.name")):
            answer = self.ask("POST", "/clusters/orders/index", {"db": "shop", "collection": "orders", "keys": [{"customer": 1}], **wrong})
            self.suite.equal((answer.status, answer.json()["parameters"][:1]), (400, [named]), "an index with %r" % wrong)
        wish = {"db": "shop", "collection": "public.orders", "keys": [{"customer": "1"}, {"created": -1}], "options": {"name": "newest", "unique": True}}
        self.ask("POST", "/clusters/orders/index", wish, 202)
        self.suite.check(wait_until(lambda: self.task()[0] == self.members[0], 20), "the primary's host was not asked: %r", self.task())
        kind, _, parameters = self.task()[1].partition(" ")
        self.suite.equal((kind, json.loads(parameters)), ("CREATE_INDEX", {
            "database": "shop", "collection": "public.orders", "keys": [{"customer": 1}, {"created": -1}], "name": "newest", "unique": True}), "the task")
        # The primary moves before the index was built, and the task goes along.
        sql("UPDATE cluster_member SET role = CASE id WHEN '\\x%s' THEN 'REPLICA' ELSE 'PRIMARY' END WHERE cluster_id = '\\x%s'" % (self.members[0], self.cluster))
        self.suite.check(wait_until(lambda: self.task()[0] == self.members[1], 20), "the task did not follow the primary: %r", self.task())
        sql("UPDATE host_task SET outcome = 'DONE', finished_at = now() WHERE host_id = '\\x%s' AND outcome IS NULL" % self.host)
        events = lambda kind: self.ask("GET", "/events?eventType=" + kind, status=200).json()
        self.suite.check(wait_until(lambda: events("INDEX_CREATED")["totalCount"] == 1, 20), "nobody told that the index was built")
        # One that fails says why.
        self.ask("POST", "/clusters/orders/index", {"db": "shop", "collection": "nothing", "keys": [{"a": 1}]}, 202)
        wait_until(lambda: self.task()[0] == self.members[1], 20)
        sql("UPDATE host_task SET outcome = 'FAILED', detail = 'There is no such table.', finished_at = now() WHERE host_id = '\\x%s' AND outcome IS NULL" % self.host)
        self.suite.check(wait_until(lambda: events("INDEX_FAILED")["totalCount"] == 1, 20), "nobody told that the index failed")
        self.suite.equal(events("INDEX_FAILED")["results"][0]["after"]["problem"], "There is no such table.", "why it failed")


def main():
    suite = Suite("users")
    ends_on_signal()
    folder = tempfile.mkdtemp(prefix="users.", dir=os.environ.get("REEVE_TEST_DIR"))
    directory = Directory(folder)
    worker = None
    try:
        suite.check(directory.start(), "slapd does not answer")
        with start_node(workers=1, settings={"egress_allow": "127.0.0.1/32"}) as node:
            world = World(node, with_roles=False)
            worker = Worker(node.conf)
            worker.start()
            test = Test(suite, world, node, directory)
            for part in (test.test_end, test.test_directory, test.test_goal, test.test_goal_of_audit_and_directory, lambda: test.test_certificates(folder), test.test_status, test.test_index):
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
