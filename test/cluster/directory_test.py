#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Users of a directory: a real slapd beside the control plane knows their passwords, members ask it at every login, and not any
more when it is switched off. No password of it is in any log."""
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
PASSWORDS = {"ann": "a door for ann, please", "bob": "bob's own door"}
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
        subprocess.run(["/usr/sbin/slapadd", "-f", self.folder + "/slapd.conf"], input=entries, text=True, check=True, capture_output=True)
        urls = "ldaps://%s:%d ldap://%s:%d" % (ADDRESS, TLS_PORT, ADDRESS, PLAIN_PORT)
        process.start(fleet, "slapd", "control", ["/usr/sbin/slapd", "-f", self.folder + "/slapd.conf", "-h", urls, "-d", "0"])
        process.wait_ready(fleet, "slapd", self.answers, 20)

    def make_certificate(self, name):
        words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30", "-subj",
                 "/CN=" + name, "-addext", "subjectAltName=IP:" + ADDRESS, "-addext", "basicConstraints=critical,CA:TRUE",
                 "-keyout", "%s/%s.key" % (self.folder, name), "-out", "%s/%s.crt" % (self.folder, name)]
        subprocess.run(words, check=True, capture_output=True)
        with open("%s/%s.crt" % (self.folder, name), encoding="ascii") as file:
            return file.read()

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


def switched_off(suite, fleet, tenant, login):
    primary = rig.primary_of(fleet, CLUSTER)
    words = ["psql", "-X", "-q", "-At", "-c", "SELECT pg_sleep(60)", login.dsn(primary, "ann", PASSWORDS["ann"])]
    session = subprocess.Popen(network.client_command(fleet, words, "client"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    there = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'ann'"
    wait_until(lambda: rig.superuser(fleet, primary, there) == [["1"]], "a session of ann", 20, every=0.1)
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
