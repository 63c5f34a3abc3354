# SPDX-License-Identifier: Apache-2.0
"""Against the pooler of a cluster: as its users, as another tenant's, as a stranger (test/cluster/pooler_attacks.py); from another member of the same host; and from inside, as
whoever has taken it over. It talks to the network and is let in by the server as anybody, so it has walls of its own."""
import hosts
import of_database
import pooler_attacks
from rows import Attack
from state import wait_until
from tenant import wait_psql

PORT, READY_S = 6432, 60
INSIDE = "a pooler sees its own files only"
VANTAGES = {pooler_attacks.LIST: "network", pooler_attacks.FILES: "shell"}
# Of its member, of the host, and of the member beside it; {own} and {folder} are the folders of both.
SECRETS = ("{own}/tls/etcd.key", "{own}/tls/cluster.key", "{own}/tls/member.key", "{own}/patroni.yml", "{own}/data/PG_VERSION", "{own}/data/global/pg_control", "{folder}/tls/member.key",
           "{folder}/data/PG_VERSION", "/var/lib/reeve/agent/host.key", "/var/lib/reeve/agent/goal.json")


def unit(member):
    return "reeve-member-%s-pooler.service" % member.id


def switch_on(ground):
    """A document whose string leads through the pooler. Once, wherever the primary is."""
    tenant, cluster = ground.tenants["thief"], ground.names["thief"]
    path = tenant.of_project("/clusters/%s/pooling" % cluster)
    tenant.ask("PATCH", path, {"enabled": True})
    wait_until(lambda: tenant.ask("GET", path)["state"] == "READY", "the pooler is ready", READY_S)
    return tenant.cluster(cluster)


def from_beside(ground):
    """A process of the other tenant's member on this host: the pooler's port is none of its doors."""
    words = "exec 3<>/dev/tcp/%s/%d && echo connected" % (ground.attacker.address, PORT)
    said = hosts.run(ground.fleet, ground.attacker.host, "timeout", "5", "setpriv", "--reuid", ground.place.victim_user, "--regid", ground.place.victim_user, "--clear-groups", "bash", "-c", words, check=False)
    return "it is connected" if "connected" in said else None


def from_inside(ground, path):
    """With the pooler's own eyes and as its system user."""
    pid = hosts.run(ground.fleet, ground.attacker.host, "systemctl", "show", "-P", "MainPID", unit(ground.attacker)).strip()
    look = ["nsenter", "-t", pid, "-m", "setpriv", "--reuid", ground.place.own_user, "--regid", ground.place.own_user, "--clear-groups", "cat"]
    if not hosts.run(ground.fleet, ground.attacker.host, *look, ground.place.own + "/pooler/pgbouncer.ini", check=False).strip():
        raise AssertionError("nothing is seen from inside, not even its own file")
    got = hosts.run(ground.fleet, ground.attacker.host, "sh", "-c", " ".join([*look, path]) + " | wc -c", check=False).strip()
    return None if got in ("", "0") else "%s bytes of %s" % (got, path)


def attacks(ground):
    """Behind of_database, whose users it has."""
    document = switch_on(ground)
    tenant, user, admin = ground.tenants["thief"], of_database.user_of("readWrite"), of_database.user_of("serviceAdmin")
    target = pooler_attacks.Target(ground.fleet, ground.attacker, lambda u, p, database: pooler_attacks.dsn(tenant, document, u, p, database),
                                   user, ground.users[user], admin, ground.users[admin])
    wait_psql(ground.fleet, target.dsn(user, ground.users[user], "shop"), "SELECT 1", READY_S)
    for name, wall, attempt in pooler_attacks.rows(target):
        yield Attack("pooler: " + name, VANTAGES.get(wall, "database"), wall, attempt)
    yield Attack("pooler: another tenant's user of the same name", "network", pooler_attacks.LOGIN, lambda: target.says("app", ground.tenants["victim"].secret, "SELECT 1"))
    yield Attack("pooler: a member of the same host connects", "shell", "rules of the host's network", lambda: from_beside(ground))
    for path in SECRETS:
        yield Attack("pooler: from inside it reads " + path, "shell", INSIDE, lambda p=path: from_inside(ground, p.format(**{"own": ground.place.own, "folder": ground.place.folder})))
