#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Backups in an object store, on real hosts through the whole control plane, with a real server that speaks S3: a store is tried out before it is added; what a
repository host receives is in the bucket and not on its disk; a second is restored exactly; a drill passes; the store refuses and is away, and nothing is lost by
it; who runs as a seat reaches its store and its members only, and a gate has no key. Needs root.

    test/cluster/store_test.py [PART…]
"""
import json
import sys
import threading
import time

import rig
from backup_faults_test import Faults
from buckets import KEY, NAME, PORT, SECRET, VAULT, Store, Vault
from ledger import TABLES
from restore_history_test import a_second
from restore_scene import CLUSTER, copy_at, writing
from tenant import wait_psql

import agents  # noqa: E402  (found by rig)
import control  # noqa: E402
import hosts  # noqa: E402
from state import Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

WEST = "west"
CONNECT = "setpriv --reuid={0} --regid={0} --clear-groups timeout 3 bash -c 'exec 3<>/dev/tcp/{1}/{2}' 2>&1 && echo OPEN; true"


class Kept(Faults):
    def __init__(self, fleet):
        super().__init__(fleet)
        self.store = Store(fleet)

    def user(self):
        """Of the seat."""
        return self.on_repository("stat -c %%u %s/state" % self.seat)

    def reaches(self, address, port):
        return "OPEN" in self.on_repository(CONNECT.format(self.user(), address, port))

    def segments(self):
        return sorted(key for key in self.store.objects() if "/archive/" in key and key.rsplit("/", 1)[1].startswith("0") and "-" in key.rsplit("/", 1)[1])

    def drill(self):
        made = self.ask("POST", "/backup/drills", {})["id"]
        return wait_until(lambda: (lambda shown: shown["state"] in ("PASSED", "FAILED", "NOT_RUN") and shown)(self.ask("GET", "/backup/drills/" + made)), "the drill", 240)


# ---- Operators ----
def it_is_tried_out(suite, kept):
    store = kept.store
    wrong = {"a wrong secret": ({"keys": store.write_keys("wrong", KEY, "wrong")}, "SignatureDoesNotMatch"),
             "a wrong key": ({"keys": store.write_keys("other", "SOMEBODY", SECRET)}, "InvalidAccessKeyId"),
             "no such bucket": ({"bucket": "elsewhere"}, "NoSuchBucket"), "nobody to trust": ({"authority": None}, "certificate"),
             "no such name": ({"endpoint": "https://nowhere.internal"}, "Correct the endpoint"), "another port": ({"endpoint": "https://%s:9" % NAME}, "does not answer"),
             "no locks": ({"object-lock": "--object-lock"}, "Object Lock")}
    for what, (changes, word) in wrong.items():
        if "object-lock" in changes:
            changes = {}
            status, _, said = store.reeved("fleet", "store", "add", WEST, "--endpoint", store.url, "--bucket", "backups", "--uri-style", "path", "--keys", kept.fleet.path("store/keys"),
                                           "--authority", kept.fleet.path("tls/authority.pem"), "--object-lock")
        else:
            status, _, said = store.add(WEST, **changes)
        suite.check(status == 1 and word in said and SECRET not in said, "%s: %s %s", what, status, said)
    suite.equal(kept.sql("SELECT count(*) FROM object_store"), [["0"]], "stores that could not be used")
    status, said, problem = store.add(WEST)
    suite.check(status == 0 and "tried out" in said, "a store: %s %s %s", status, said, problem)
    suite.equal(store.objects(), {}, "what is left of the trial")
    for words in (("list",), ("list", "--json"), ("show", WEST), ("show", WEST, "--json")):
        status, said, problem = store.reeved("fleet", "store", *words)
        suite.check(status == 0 and WEST in said and SECRET not in said and KEY not in said, "%s: %s %s", words, said, problem)
    suite.equal(store.reeved("fleet", "store", "try", WEST)[0], 0, "it is tried out again")
    written = json.dumps(kept.sql("SELECT request FROM operator_action"))
    suite.check("***" in written and SECRET not in written and KEY not in written, "what is written down of it: %s", written)


def a_host_writes_to_it(suite, kept):
    kept.store.tell_host(kept.repository)
    join(kept, WEST)
    suite.equal(kept.sql("SELECT object_store FROM host WHERE name = '%s'" % kept.repository), [[WEST]], "where it keeps backups")
    status, _, said = kept.store.reeved("fleet", "store", "remove", WEST)
    suite.check(status == 1 and "hosts write to it" in said, "a store that is used: %s", said)


# ---- What is kept ----
def everything_is_in_the_bucket(suite, kept):
    kept.create(CLUSTER, 3, True)
    wait_psql(kept.fleet, kept.dsn(CLUSTER), TABLES, 60)
    kept.wait_first_snapshot()
    seat = kept.sql("SELECT object_store, unit, coalesce(problem, '') FROM stanza_seat")
    suite.equal(seat, [[WEST, "active", ""]], "the seat")
    keys = list(kept.store.objects())
    suite.check(any("/backup/" in key and "/bundle/" in key for key in keys) and any("/archive/" in key for key in keys), "what is in the bucket: %s", keys[:5])
    suite.equal(kept.on_repository("find %s/repo -type f | head" % kept.seat), "", "what is on the host's disk")
    used = kept.sql("SELECT used_bytes > 1000000 FROM stanza_seat")
    suite.equal(used, [["t"]], "how much it takes")
    config = kept.on_repository("stat -c '%%a %%U' %s/push.conf" % kept.seat)
    suite.equal(config, "640 root", "who reads the keys on the host")


def a_second_is_restored(suite, kept):
    with writing(kept) as writer:
        moment = a_second(writer)
        kept.wait_window(moment)
        looked = watch_gate(kept)
        began = time.monotonic()
        copy_at(suite, kept, writer, moment, "a second, from the store")
        suite.say("cluster made, restored and removed in %.0f s" % (time.monotonic() - began))
    looked["thread"].join(5)
    suite.check(looked["files"] and SECRET not in looked["said"] and KEY not in looked["said"], "what a gate has: %s", looked["said"][:2000])
    suite.equal(kept.on_repository("ls /var/lib/reeve/gates; ls /etc/systemd/system | grep reeve-gate || true"), "", "what is left of it")


def watch_gate(kept):
    """While a gate is open: everything that its process can read, and what it was started with."""
    seen = {"files": False, "said": ""}

    def look():
        for _ in range(1200):
            said = kept.on_repository("for unit in $(systemctl list-units --plain --no-legend 'reeve-gate-*' | cut -d' ' -f1 | grep -v mirror); do pid=$(systemctl show -P MainPID $unit); "
                                      "[ $pid != 0 ] && [ -e /proc/$pid/root/repo/backup ] && { tr '\\0' '\\n' < /proc/$pid/environ; find /proc/$pid/root/gate /proc/$pid/root/repo "
                                      "/proc/$pid/root/last -type f; grep -rlaF '%s' /proc/$pid/root/gate /proc/$pid/root/repo /proc/$pid/root/last; ls /proc/$pid/root /proc/$pid/root/proc; }; "
                                      "done 2>&1; true" % SECRET)
            if "backup.info" in said:
                seen.update(files=True, said=said)
                return
            time.sleep(0.3)
    seen["thread"] = threading.Thread(target=look, daemon=True)
    seen["thread"].start()
    return seen


def a_drill_passes(suite, kept):
    drill = kept.drill()
    suite.equal((drill["state"], drill.get("problem")), ("PASSED", None), "a drill of what is in the store: %s" % drill)


def who_runs_as_the_seat_reaches_its_own(suite, kept):
    member = rig.members(kept.fleet, CLUSTER)[0]
    tries = {"the store": (kept.store.address, PORT, True), "a member": (member.address, 5432, True), "the control plane": (kept.store.address, control.AGENT_PORT, False),
             "the server behind the store": (kept.store.address, 9000, False), "Patroni of a member": (member.address, 8008, False), "names": ("10.78.0.2", 53, False),
             "its own host": ("127.0.0.1", 22, False)}
    for what, (address, port, is_open) in tries.items():
        suite.equal(kept.reaches(address, port), is_open, what)


# ---- Faults ----
def the_store_refuses_and_is_away(suite, kept):
    for status in (403, 503):
        failing, working = kept.told().count("BACKUP_FAILING"), kept.told().count("BACKUP_WORKING")
        spans = len(kept.spans())
        with writing(kept) as writer:
            before = a_second(writer)
            with kept.store.answers(status):
                during = kept.fill_segments(writer, 3)[1]
                kept.look()
                suite.say("%d: told after %.0f s" % (status, kept.wait_told("BACKUP_FAILING", failing + 1, 180)))
                suite.check(str(status) in kept.last_told(), "what is told: %s", kept.last_told())
                wait_until(lambda: "BACKUP_FAILING" in kept.alerts(), "an alert", 60)
            suite.say("%d: over after %.0f s" % (status, kept.wait_told("BACKUP_WORKING", working + 1, 180)))
            wait_until(lambda: kept.alerts() == [], "the alert ends", 60)
            after = a_second(writer)
            kept.wait_window(after)
        suite.equal((len(kept.spans()), kept.told().count("BACKUP_DAMAGED")), (spans, 0), "spans, and what was lost")
        suite.check(kept.window()["from"] < kept.window()["to"], "the window: %s", kept.window())
        suite.check(before < during < after, "seconds")
    copy_at(suite, kept, writer, during, "a second while the store was away")


def another_key(suite, kept):
    """The old one goes on working here, so what is seen is that hosts have got the new one."""
    store = kept.store
    status, _, said = store.reeved("fleet", "store", "change", WEST, "--keys", store.write_keys("wrong", KEY, "wrong"))
    suite.check(status == 1 and "SignatureDoesNotMatch" in said, "a key that does not work changes nothing: %s", said)
    suite.equal(store.reeved("fleet", "store", "change", WEST, "--keys", kept.fleet.path("store/keys"))[0], 0, "a key that works")
    wait_until(lambda: kept.sql("SELECT v.version = h.seen_version FROM host h JOIN host_goal_version v ON v.host_id = h.id WHERE h.name = '%s'" % kept.repository) == [["t"]],
               "the host has it", 30)
    suite.check(SECRET in kept.on_repository("cat %s/push.conf" % kept.seat), "the key on the host")


# ---- Somebody has the key ----
def join(kept, store):
    """The repository host keeps what comes from now on there."""
    host = kept.fleet.host(kept.repository)
    token = json.loads(control.reeved(kept.fleet, "fleet", "token", "--host", kept.repository, "--provider", host["provider"], "--region", host["region"], "--zone", host["zone"],
                                      "--purpose", "REPOSITORY", "--store", store, "--json"))["token"]
    hosts.run(kept.fleet, kept.repository, agents.AGENT, "join", "--url", agents.url(kept.fleet, kept.repository), "--token", token, "--start")
    hosts.run(kept.fleet, kept.repository, "systemctl", "restart", "reeve-agent")
    agents.wait_seen(kept.fleet, [kept.repository])


def a_vault_is_added(suite, kept):
    kept.vault = vault = Vault(kept.store)
    suite.say("buckets: %s %s" % (vault.make_bucket("loose", 0), vault.make_bucket(VAULT, 1)))
    words = ["fleet", "store", "add", VAULT, "--endpoint", vault.url, "--uri-style", "path", "--keys", kept.fleet.path("store/keys"), "--authority", kept.fleet.path("tls/authority.pem"), "--object-lock"]
    status, _, said = kept.store.reeved(*words, "--bucket", "loose")
    suite.check(status == 1 and "COMPLIANCE" in said, "a bucket that locks nothing by itself: %s", said)
    status, _, said = kept.store.reeved(*words, "--bucket", VAULT)
    suite.check(status == 0, "a bucket with Object Lock: %s", said)
    suite.equal(json.loads(kept.store.reeved("fleet", "store", "show", VAULT, "--json")[1])["lockDays"], 1, "for how long it locks")
    kept.store.tell_host(kept.repository)
    join(kept, VAULT)
    kept.create(CLUSTER, 1, True)
    wait_psql(kept.fleet, kept.dsn(CLUSTER), TABLES, 60)
    kept.wait_first_snapshot()


def attack(suite, kept):
    """With the key: everything goes that pgBackRest can remove, then every version, one by one."""
    stanza = kept.sql("SELECT name FROM backup_stanza WHERE state = 'OPEN'")[0][0]
    for part in ("backup", "archive"):
        kept.on_repository("setpriv --reuid={0} --regid={0} --clear-groups pgbackrest --config={1}/push.conf --stanza={2} repo-rm --recurse {3}/{2}".format(kept.user(), kept.seat, stanza, part))
    suite.equal([key for key in kept.vault.keys(VAULT) if "/backup/" in key], [], "what the attacker has left of the backups")
    refused = ["AccessDenied" in kept.vault.ask("DELETE", "/%s/%s?versionId=%s" % (VAULT, key, version))[1] for key, version, is_marker, _ in kept.vault.versions(VAULT) if not is_marker]
    suite.check(refused and all(refused), "versions that are locked: %d, not refused: %d", len(refused), refused.count(False))


def what_is_locked_outlives_who_has_the_key(suite, kept):
    with writing(kept) as writer:
        moment = a_second(writer)
        kept.fill_segments(writer, 2)
        kept.wait_window(moment)
        time.sleep(3)
        before, since = kept.vault.keys(VAULT), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        time.sleep(1.5)
        attack(suite, kept)
        kept.look()
        # Without the file that lists backups nobody can say which are gone: that is a fault of the seat, and the window is empty meanwhile.
        wait_until(lambda: {"BACKUP_DAMAGED", "BACKUP_FAILING"} & set(kept.told()), "it is told that something is wrong", 240)
        dry = kept.store.reeved("fleet", "store", "recover", VAULT, "--since", since, "--dry-run", "--json")
        suite.check(dry[0] == 0 and int(json.loads(dry[1])["deleted"]) > 0, "what would come back: %s", dry)
        began = time.monotonic()
        status, said, problem = kept.store.reeved("fleet", "store", "recover", VAULT, "--since", since, "--json")
        suite.check(status == 0, "what was deleted comes back: %s %s", said, problem)
        suite.say("%s, in %.1f s" % (said.strip(), time.monotonic() - began))
        suite.check(set(before) <= set(kept.vault.keys(VAULT)), "everything is there again: %s", set(before) - set(kept.vault.keys(VAULT)))
        kept.look()
        wait_until(lambda: kept.sql("SELECT 1 FROM snapshot_copy WHERE state = 'COMPLETED'"), "its backups are known again", 120)
        wait_until(lambda: kept.window().get("from", "9") < since, "the window is as it was", 120)
    copy_at(suite, kept, writer, moment, "a second from before the attack")


def gone_with_the_cluster(suite, kept):
    kept.tenant.delete_cluster(CLUSTER)
    kept.tenant.wait_gone(CLUSTER)
    wait_until(lambda: not kept.sql("SELECT 1 FROM backup_stanza"), "its backups are gone", 120)
    suite.equal(list(kept.store.objects()), [], "what is left in the bucket")
    left = kept.on_repository("ls /var/lib/reeve/stanzas; ls /etc/systemd/system | grep -E 'reeve-(wal|backup)' || true; nft list set inet reeve confined | grep elements || true")
    suite.equal(left, "", "what is left on the repository host")


def all_of_it_is_gone(suite, kept):
    kept.tenant.delete_cluster(CLUSTER)
    kept.tenant.wait_gone(CLUSTER)
    wait_until(lambda: not kept.sql("SELECT 1 FROM backup_stanza"), "its backups are gone", 120)
    suite.equal(kept.vault.keys(VAULT), [], "what can be seen in the bucket")


PARTS = [it_is_tried_out, a_host_writes_to_it, everything_is_in_the_bucket, a_second_is_restored, a_drill_passes, who_runs_as_the_seat_reaches_its_own,
         another_key, the_store_refuses_and_is_away, gone_with_the_cluster,
         a_vault_is_added, what_is_locked_outlives_who_has_the_key, all_of_it_is_gone]


def main():
    suite = Suite("stores")
    wanted = [part for part in PARTS if not sys.argv[1:] or part.__name__ in sys.argv[1:]]
    try:
        with rig.fleet_for(4, repositories=1) as fleet:
            kept = Kept(fleet)
            for part in wanted:
                part(suite, kept)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
