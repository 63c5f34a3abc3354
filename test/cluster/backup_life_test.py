#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The life of a cluster's backups on real hosts, as its tenant sees it and as it is on the repository host: switched on with the cluster, a snapshot that
was asked for and deleted, switched off and on again, and gone with the cluster. Needs root."""
import sys
import time

import rig
from tenant import Tenant

import control  # noqa: E402  (found by rig)
import hosts  # noqa: E402
from state import PROVIDER, Problem, wait_until  # noqa: E402
from suite import Suite  # noqa: E402

CLUSTER = "kept"
LEFT = "ls /var/lib/reeve/stanzas /etc/systemd/system | grep -E 'reeve-(wal|backup)|^[0-9a-f]{24}' || true"
LABELS = "ls -d /var/lib/reeve/stanzas/*/repo/backup/*/*/ | xargs -n 1 basename | grep -E '^[0-9]' || true"


class Protected:
    """A cluster with backups: what the tenant asks, and what is really there."""

    def __init__(self, fleet):
        self.fleet, self.tenant, self.repository = fleet, Tenant(fleet), fleet.repositories[0]
        self.tenant.create_project()

    def sql(self, query):
        return control.superuser(self.fleet, query)

    def ask(self, method, path="", body=None, **more):
        return self.tenant.ask(method, self.tenant.of_project("/clusters/" + CLUSTER + path), body, **more)

    def on_repository(self, command):
        return hosts.run(self.fleet, self.repository, "sh", "-c", command).split()

    def create(self):
        specs = [{"regionConfigs": [{"providerName": PROVIDER, "regionName": self.fleet.regions[0], "electableSpecs": {"instanceSize": "S1", "nodeCount": 3}}]}]
        self.tenant.ask("POST", self.tenant.of_project("/clusters"), {"name": CLUSTER, "backupEnabled": True, "pitEnabled": True, "replicationSpecs": specs})
        return self.tenant.wait_idle(CLUSTER)

    def change(self, **changes):
        self.ask("PATCH", body=changes)
        self.tenant.wait_idle(CLUSTER)

    def snapshots(self):
        return self.ask("GET", "/backup/snapshots")["results"]


def switched_on_with_the_cluster(suite, kept):
    began = time.monotonic()
    suite.equal(kept.create()["backupEnabled"], True, "a cluster with backups")
    suite.say("idle after %.1f s" % (time.monotonic() - began))
    suite.equal(kept.sql("SELECT unit, received_lsn IS NOT NULL FROM stanza_seat"), [["active", "t"]], "WAL is received when the cluster is IDLE")
    suite.equal(kept.ask("GET", "/backup/schedule")["restoreWindowDays"], 2, "the schedule that it begins with")
    wait_until(lambda: [one["status"] for one in kept.snapshots()] == ["completed"], "the first snapshot", 60)
    window = wait_until(lambda: kept.ask("GET", "/backup/window").get("to") and kept.ask("GET", "/backup/window"), "a window", 60)
    wait_until(lambda: kept.ask("GET", "/backup/window")["to"] > window["to"], "the window moves", 90)  # at least once a minute


def a_snapshot_on_demand(suite, kept):
    window = kept.ask("GET", "/backup/window")["from"]
    made = kept.ask("POST", "/backup/snapshots", {"description": "before the change", "retentionInDays": 1})["id"]

    def shown():
        return kept.ask("GET", "/backup/snapshots/" + made)
    wait_until(lambda: shown()["status"] in ("completed", "failed"), "the snapshot that was asked for", 60)
    suite.equal((shown()["status"], shown()["snapshotType"], len(kept.snapshots())), ("completed", "onDemand", 2), "a snapshot that was asked for")
    label = kept.sql("SELECT label FROM snapshot_copy WHERE snapshot_id = '\\x%s' AND type = 'FULL'" % made)[0][0]
    labels = kept.on_repository(LABELS)
    suite.check(label in labels and len(labels) == 2, "what is in the repository: %s", labels)
    kept.ask("DELETE", "/backup/snapshots/" + made)
    wait_until(lambda: kept.on_repository(LABELS) == [other for other in labels if other != label], "it leaves the repository when it is deleted", 60)
    suite.check(kept.ask("GET", "/backup/window")["from"] == window, "and the window stays")


def switched_off_and_on(suite, kept):
    kept.change(backupEnabled=False, pitEnabled=False)
    wait_until(lambda: kept.sql("SELECT 1 FROM stanza_seat WHERE desired = 'FROZEN' AND unit = 'inactive'"), "the receiver stops", 30)
    kept.change(backupEnabled=True)
    suite.equal(kept.sql("SELECT s.incarnation, s.state, t.unit FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id ORDER BY 1"),
                [["1", "FROZEN", "inactive"], ["2", "OPEN", "active"]], "the next history")


def gone_with_the_cluster(suite, kept):
    kept.tenant.delete_cluster(CLUSTER)
    kept.tenant.wait_gone(CLUSTER)
    wait_until(lambda: not kept.sql("SELECT 1 FROM backup_stanza"), "its backups are gone", 60)
    suite.equal((kept.sql("SELECT used_disk_gb FROM host WHERE name = '%s'" % kept.repository), kept.on_repository(LEFT)), ([["0"]], []), "what is left on the repository host")
    suite.equal(rig.left_behind(kept.fleet), [], "what is left anywhere")


def main():
    suite = Suite("backup life")
    try:
        with rig.fleet_for(3, repositories=1) as fleet:
            kept = Protected(fleet)
            for part in (switched_on_with_the_cluster, a_snapshot_on_demand, switched_off_and_on, gone_with_the_cluster):
                part(suite, kept)
    except Problem as problem:
        suite.fail(str(problem))
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
