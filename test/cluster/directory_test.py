#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Users of a directory: a real slapd beside the control plane knows their passwords, members ask it at every login, and not any
more when it is switched off. People of its groups are users with the roles of the group, and none any more within a minute after they
left it; while the directory is away nobody loses anything. No password of it is in any log."""
import os
import subprocess
import sys
import time

import rig
from tenant import Tenant, psql, wait_psql

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
import network  # noqa: E402
import process  # noqa: E402
from state import CLIENT, CONTROL, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "directory"
ADDRESS = CONTROL["control1"]
TLS_PORT, PLAIN_PORT = 6360, 389
BIND, BIND_PASSWORD = "cn=reeve,dc=example,dc=org", 'what "opens", the #directory'
PASSWORDS = {"ann": "a door for ann, please", "bob": "bob's own door", "carol": "carol comes in with her group"}
GROUP, CAROL = "cn=dba,ou=groups,dc=example,dc=org", "uid=carol,ou=people,dc=example,dc=org"
BY_MEMBER = "ou=groups,dc=example,dc=org??sub?(&(objectClass=groupOfNames)(member={USER}))"
LEFT_S = 60  # whoever left a group has no login and no session after so long (docs/internals/access.md)
SEARCH = [{"match": "(.+)", "ldapQuery": "dc=example,dc=org??sub?(&(objectClass=inetOrgPerson)(uid={0}))"}]
TOGETHER = [{"match": "^(.+)$", "substitution": "uid={0},ou=people,dc=example,dc=org"}]


class Directory:
    """A slapd on the control plane's machine, with TLS at once on one port and StartTLS on another."""

    def __init__(self, fleet):
        self.fleet, self.folder = fleet, fleet.path("directory")
        os.makedirs(self.folder + "/data")
        self.authority = self.make_certificate("directory")
        with open(self.folder + "/slapd.conf", "w", encoding="utf-8") as file:
            file.writelines("include /etc/ldap/schema/%s.schema\n" % name for name in ("core", "cosine", "inetorgperson"))
            file.write("modulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile {0}/pid\nTLSCertificateFile {0}/directory.crt\n"
                       "TLSCertificateKeyFile {0}/directory.key\nsecurity tls=1\ndatabase mdb\nmaxsize 10485760\n"
                       "suffix \"dc=example,dc=org\"\nrootdn \"{1}\"\nrootpw \"{2}\"\ndirectory {0}/data\n"
                       .format(self.folder, BIND, BIND_PASSWORD.replace('"', '\\"')))
        entries = "dn: dc=example,dc=org\nobjectClass: dcObject\nobjectClass: organization\no: example\ndc: example\n\n" \
                  "dn: ou=people,dc=example,dc=org\nobjectClass: organizationalUnit\nou: people\n\n"
        for name, password in PASSWORDS.items():
            entries += "dn: uid=%s,ou=people,dc=example,dc=org\nobjectClass: inetOrgPerson\nuid: %s\ncn: %s\nsn: %s\n" \
                       "userPassword: %s\n\n" % (name, name, name, name, password)
        entries += "dn: ou=groups,dc=example,dc=org\nobjectClass: organizationalUnit\nou: groups\n\n" \
                   "dn: %s\nobjectClass: groupOfNames\ncn: dba\nmember: cn=nobody,dc=example,dc=org\nmember: %s\n\n" % (GROUP, CAROL)
        subprocess.run(["/usr/sbin/slapadd", "-f", self.folder + "/slapd.conf"], input=entries, text=True, check=True, capture_output=True)
        self.start()

    def start(self):
        urls = "ldaps://%s:%d ldap://%s:%d" % (ADDRESS, TLS_PORT, ADDRESS, PLAIN_PORT)
        fleet = self.fleet
        process.start(fleet, "slapd", "control", ["/usr/sbin/slapd", "-f", self.folder + "/slapd.conf", "-h", urls, "-d", "0"])
        process.wait_ready(fleet, "slapd", self.answers, 20)

    def make_certificate(self, name):
        words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
                 "/CN=" + name, "-addext", "subjectAltName=IP:" + ADDRESS, "-addext", "basicConstraints=critical,CA:TRUE",
                 "-keyout", "%s/%s.key" % (self.folder, name), "-out", "%s/%s.crt" % (self.folder, name)]
        subprocess.run(words, check=True, capture_output=True)
        with open("%s/%s.crt" % (self.folder, name), encoding="ascii") as file:
            return file.read()

    def change_group(self, what):
        """`add` or `delete` carol."""
        words = ["ldapmodify", "-x", "-H", "ldaps://%s:%d" % (ADDRESS, TLS_PORT), "-D", BIND, "-w", BIND_PASSWORD]
        text = "dn: %s\nchangetype: modify\n%s: member\nmember: %s\n\n" % (GROUP, what, CAROL)
        subprocess.run(network.command(self.fleet, "control", words), input=text, text=True, check=True, capture_output=True,
                       env={**os.environ, "LDAPTLS_CACERT": self.folder + "/directory.crt"})

    def answers(self):
        words = ["ldapsearch", "-x", "-H", "ldaps://%s:%d" % (ADDRESS, TLS_PORT), "-b", "", "-s", "base", "-o", "nettimeout=2"]
        return subprocess.run(network.command(self.fleet, "control", words), capture_output=True, check=False,
                              env={**os.environ, "LDAPTLS_CACERT": self.folder + "/directory.crt"}).returncode == 0


class Login:
    def __init__(self, fleet):
        self.fleet = fleet

    def dsn(self, member, user, password):
        return "host=%s port=5432 dbname=shop user=%s password='%s' sslmode=require connect_timeout=5" % (
            member.address, user, password.replace("\\", "\\\\").replace("'", "\\'"))

    def on(self, member, user, password, statement="SELECT current_user"):
        return psql(self.fleet, self.dsn(member, user, password), statement)

    def everywhere(self, user, password):
        return [self.on(member, user, password)[0] == 0 for member in rig.members(self.fleet, CLUSTER)]


def configure(tenant, **ldap):
    tenant.ask("PATCH", tenant.of_project("/userSecurity"), {"ldap": ldap})


def wait_in_force(fleet):
    wait_until(lambda: control.superuser(fleet, """
        SELECT bool_and(m.applied_access >= a.generation) FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id
        JOIN project_access a ON a.project_id = c.project_id WHERE c.name = '%s'""" % CLUSTER) == [["t"]], "it is in force", 60, every=0.1)


def check_logins(suite, login, how):
    suite.equal(login.everywhere("ann", PASSWORDS["ann"]), [True] * 3, "members that let in who the directory knows, %s" % how)
    suite.equal(login.everywhere("ann", PASSWORDS["bob"]), [False] * 3, "members that let in with another's password, %s" % how)


def switched_on(suite, fleet, tenant, login, directory):
    suite.equal(login.everywhere("ann", PASSWORDS["ann"]), [False] * 3, "members that let in before it was switched on")
    began = time.monotonic()
    configure(tenant, hostname=ADDRESS, port=TLS_PORT, bindUsername=BIND, bindPassword=BIND_PASSWORD, caCertificate=directory.authority,
              userToDNMapping=SEARCH, authenticationEnabled=True)
    wait_in_force(fleet)
    rig.judge_time(suite, time.monotonic() - began, 3, "a directory is in force on every member")
    check_logins(suite, login, "found by a search")
    primary = rig.primary_of(fleet, CLUSTER)
    suite.check(login.on(primary, "ann", "")[0] != 0, "an empty password, which directories take for no bind at all, is refused")
    suite.check(login.on(primary, "nobody", PASSWORDS["ann"])[0] != 0, "a user whom the directory does not know is refused")
    suite.check(login.on(primary, "bob", PASSWORDS["bob"])[0] != 0, "who is no database user is refused")
    status, _, error = login.on(primary, "ann", PASSWORDS["ann"], "ALTER ROLE ann PASSWORD 'a way around it'")
    suite.check(status == 0, "a user sets a password in the database: %s", error)
    suite.check(login.on(primary, "ann", "a way around it")[0] != 0, "it is no way in")


def other_ways(suite, fleet, tenant, login, directory):
    configure(tenant, port=PLAIN_PORT, userToDNMapping=TOGETHER)
    wait_in_force(fleet)
    check_logins(suite, login, "with StartTLS and a name that is put together")
    configure(tenant, caCertificate=directory.make_certificate("another"))
    wait_in_force(fleet)
    suite.equal(login.everywhere("ann", PASSWORDS["ann"]), [False] * 3, "members that believe a directory of another authority")
    configure(tenant, port=TLS_PORT, userToDNMapping=SEARCH, caCertificate=directory.authority)
    wait_in_force(fleet)
    check_logins(suite, login, "as it was")


def secrets_stay_out(suite, fleet):
    for member in rig.members(fleet, CLUSTER):
        folder = "/var/lib/reeve/members/%s/" % member.id
        log = hosts.run(fleet, member.host, "journalctl", "--no-pager", "-o", "cat", timeout=20)
        suite.check("ldap" in log, "the log has the logins that failed")
        for secret in (BIND_PASSWORD, BIND_PASSWORD.replace('"', '""'), *PASSWORDS.values()):
            suite.check(secret not in log, "no password is in a log of %s", member.host)
        mode = hosts.run(fleet, member.host, "stat", "-c", "%a %U", folder + "ldap-secret.conf").strip()
        suite.equal(mode, "640 root", "who may read the secret, with the group of the member")
        found = hosts.run(fleet, member.host, "grep", "-rlF", "the #directory", "/var/lib/reeve", check=False).split()
        suite.equal(sorted(found), sorted(["/var/lib/reeve/agent/goal.json", folder + "ldap-secret.conf"]), "files with the secret")


def open_session(fleet, login, user, seconds):
    """One on the primary that lasts, if nobody ends it."""
    primary = rig.primary_of(fleet, CLUSTER)
    words = ["psql", "-X", "-q", "-At", "-c", "SELECT pg_sleep(%d)" % seconds, login.dsn(primary, user, PASSWORDS[user])]
    session = subprocess.Popen(network.client_command(fleet, words, "client"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    there = "SELECT count(*) FROM pg_stat_activity WHERE usename = '%s'" % user
    wait_until(lambda: rig.superuser(fleet, primary, there) == [["1"]], "a session of " + user, 20, every=0.1)
    return session


def people_of_a_group(suite, fleet, tenant, login, directory):
    tenant.ask("POST", tenant.of_project("/databaseUsers"), {
        "username": GROUP, "databaseName": "$external", "ldapAuthType": "GROUP", "roles": [{"roleName": "readWrite", "databaseName": "shop"}]})
    suite.equal(login.everywhere("carol", PASSWORDS["carol"]), [False] * 3, "members that let in people of a group before it was switched on")
    configure(tenant, authorizationEnabled=True, authzQueryTemplate=BY_MEMBER)
    began = time.monotonic()
    wait_until(lambda: login.everywhere("carol", PASSWORDS["carol"]) == [True] * 3, "people of the group are let in", LEFT_S, every=0.5)
    print("  people of a group are users after %.1f s" % (time.monotonic() - began), flush=True)
    primary = rig.primary_of(fleet, CLUSTER)
    for statement in ("CREATE TABLE carols (a int)", "INSERT INTO carols VALUES (1)", "SELECT a FROM carols"):
        status, _, error = login.on(primary, "carol", PASSWORDS["carol"], statement)
        suite.check(status == 0, "the roles of the group: %s: %s", statement, error)
    status, _, _ = login.on(primary, "carol", PASSWORDS["carol"], "CREATE DATABASE hers")
    suite.check(status != 0, "and no other ones")
    suite.check(login.on(primary, "carol", PASSWORDS["bob"])[0] != 0, "with a wrong password nobody is let in")
    suite.check(login.on(primary, "bob", PASSWORDS["bob"])[0] != 0, "who is not in the group is refused")


def who_left_is_out(suite, fleet, login, directory):
    session = open_session(fleet, login, "carol", 600)
    directory.change_group("delete")
    began = time.monotonic()
    suite.check(session.wait(LEFT_S + 30) != 0, "the session that was open has ended")
    wait_until(lambda: login.everywhere("carol", PASSWORDS["carol"]) == [False] * 3, "who left the group is refused", LEFT_S, every=0.5)
    took = time.monotonic() - began
    print("  who left a group is out after %.1f s" % took, flush=True)
    suite.check(took < LEFT_S, "who left the group was out after %.1f s", took)
    directory.change_group("add")
    wait_until(lambda: login.everywhere("carol", PASSWORDS["carol"]) == [True] * 3, "who came back is let in", LEFT_S, every=0.5)


def nobody_loses_anything(suite, fleet, tenant, login, directory):
    session = open_session(fleet, login, "carol", 3000)
    process.stop(fleet, "slapd")
    told = tenant.of_project("/events?eventType=LDAP_GROUPS_NOT_READ")
    wait_until(lambda: tenant.ask("GET", told)["totalCount"] > 0, "it is told that the directory is away", 90)
    time.sleep(20)
    suite.check(session.poll() is None, "the session goes on while the directory is away")
    primary = rig.primary_of(fleet, CLUSTER)
    suite.equal(rig.superuser(fleet, primary, "SELECT count(*) FROM pg_roles WHERE rolname = 'carol'"), [["1"]], "the user while the directory is away")
    directory.start()
    wait_until(lambda: login.everywhere("carol", PASSWORDS["carol"]) == [True] * 3, "when it is back people are let in", 30, every=0.5)
    suite.check(session.poll() is None, "and the session goes on")
    tenant.ask("DELETE", tenant.of_project("/databaseUsers/$external/" + GROUP.replace("=", "%3D").replace(",", "%2C")))
    suite.check(session.wait(30) != 0, "without the group its people have no sessions")
    suite.equal(login.everywhere("carol", PASSWORDS["carol"]), [False] * 3, "and are not let in")


def switched_off(suite, fleet, tenant, login):
    primary = rig.primary_of(fleet, CLUSTER)
    session = open_session(fleet, login, "ann", 60)
    configure(tenant, authenticationEnabled=False)
    wait_in_force(fleet)
    suite.equal(login.everywhere("ann", PASSWORDS["ann"]), [False] * 3, "members that let in after it was switched off")
    suite.check(session.wait(20) != 0, "the session that was open has ended")
    suite.check(login.on(primary, "ann", "a way around it")[0] != 0, "a password in the database is still no way in")


def main():
    suite = Suite("directory on hosts")
    try:
        with rig.fleet_for(3) as fleet:
            tenant, login, directory = Tenant(fleet), Login(fleet), Directory(fleet)
            tenant.create_project()
            password = tenant.create_user("app")
            for name in ("ann", "nobody"):
                tenant.ask("POST", tenant.of_project("/databaseUsers"), {
                    "username": name, "databaseName": "$external", "ldapAuthType": "USER",
                    "roles": [{"roleName": "readWrite", "databaseName": "shop"}]})
            tenant.allow(CLIENT["client"] + "/32")
            tenant.create_cluster(CLUSTER)
            document = tenant.wait_idle(CLUSTER)
            wait_psql(fleet, tenant.dsn(document, "app", password), "SELECT 1", 30)
            rig.wait_full_strength(fleet, CLUSTER, 3, 60)
            try:
                switched_on(suite, fleet, tenant, login, directory)
                other_ways(suite, fleet, tenant, login, directory)
                people_of_a_group(suite, fleet, tenant, login, directory)
                who_left_is_out(suite, fleet, login, directory)
                nobody_loses_anything(suite, fleet, tenant, login, directory)
                secrets_stay_out(suite, fleet)
                switched_off(suite, fleet, tenant, login)
                suite.equal(login.everywhere("app", password), [True] * 3, "members that let in who has a password here")
            finally:
                process.stop(fleet, "slapd")
            tenant.delete_cluster(CLUSTER)
            tenant.wait_gone(CLUSTER)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
