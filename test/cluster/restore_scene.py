# SPDX-License-Identifier: Apache-2.0
"""What tests of restores share: a tenant with a cluster that has backups, restores as they ask for them, and what must be there afterwards.

That is known from the client: a row that was acknowledged before the second must be there, and one that was begun after it must not."""
import contextlib
import datetime

from ledger import Writer
from tenant import Tenant, client_address, psql

import control  # noqa: E402  (found by rig)
from state import PROVIDER, Problem, wait_until  # noqa: E402

CLUSTER, COPY = "kept", "copy"


class Scene:
    def __init__(self, fleet):
        self.fleet, self.tenant = fleet, Tenant(fleet)
        self.tenant.create_project()
        self.password = self.tenant.create_user()
        self.tenant.allow(client_address())
        self.exact = []

    def sql(self, query):
        return control.superuser(self.fleet, query)

    def ask(self, method, path="", body=None, name=CLUSTER, **more):
        return self.tenant.ask(method, self.tenant.of_project("/clusters/" + name + path), body, **more)

    def create(self, name, members, backups, size="S2"):
        specs = [{"regionConfigs": [{"providerName": PROVIDER, "regionName": self.fleet.regions[0], "electableSpecs": {"instanceSize": size, "nodeCount": members}}]}]
        self.tenant.ask("POST", self.tenant.of_project("/clusters"), {"name": name, "backupEnabled": backups, "replicationSpecs": specs})
        return self.tenant.wait_idle(name, 240)

    def dsn(self, name):
        return self.tenant.dsn(self.tenant.cluster(name), "app", self.password)

    def numbers(self, name):
        """Asked with the names that the cluster has now: new members have others."""
        found = wait_until(lambda: (lambda said: said[0] == 0 and (said[1] or " "))(psql(self.fleet, self.dsn(name), "SELECT number FROM ledger")), "the table is read", 120, every=0.2)
        return set(map(int, found.split()))

    def wait_window(self, moment):
        """Until that moment can be restored."""
        text = datetime.datetime.fromtimestamp(moment + 1, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        wait_until(lambda: self.ask("GET", "/backup/window").get("to", "") > text, "the window reaches the moment", 90)

    def wait_first_snapshot(self):
        """Of the history that is written now: without one nothing of it can be restored."""
        wait_until(lambda: self.sql("SELECT 1 FROM snapshot n JOIN backup_stanza s ON s.id = n.stanza_id WHERE s.state = 'OPEN' AND n.state = 'COMPLETED'"),
                   "the first snapshot", 120)

    def take_snapshot(self):
        """One of now, so that little WAL has to be gone through."""
        made = self.ask("POST", "/backup/snapshots", {"description": "before the loss", "retentionInDays": 1})["id"]
        wait_until(lambda: self.ask("GET", "/backup/snapshots/" + made)["status"] == "completed", "a snapshot on demand", 300)

    def restore(self, target, wait=True, **wish):
        made = self.ask("POST", "/backup/restoreJobs", {"deliveryType": "pointInTime" if "snapshotId" not in wish else "automated", "targetClusterName": target, **wish})
        return self.wait_restored(made["id"]) if wait else made["id"]

    def shown(self, restore):
        return self.ask("GET", "/backup/restoreJobs/" + restore)

    def wait_restored(self, restore, seconds=600):
        try:
            wait_until(lambda: self.shown(restore)["state"] not in ("RUNNING", "UNDOING"), "the restore is over", seconds, every=0.3)
        except Problem as problem:
            raise Problem("%s: %s; %s" % (problem, self.shown(restore), self.sql("SELECT kind, step, state, waits_for FROM job WHERE finished_at IS NULL"))) from None
        return self.shown(restore)


@contextlib.contextmanager
def writing(scene):
    """A client that writes numbered rows, one after another, and notes which were acknowledged."""
    psql(scene.fleet, scene.dsn(CLUSTER), "TRUNCATE ledger")
    writer = Writer(scene.fleet, scene.dsn(CLUSTER))
    try:
        yield writer
    finally:
        writer.stop()


def copy_at(suite, scene, writer, moment, what):
    """Restores that second into a cluster of its own, judges it, and removes the cluster."""
    scene.create(COPY, 1, False)
    done = scene.restore(COPY, pointInTimeUTCSeconds=moment)
    if suite.equal((done["state"], done["failed"]), ("DONE", False), "%s, into another cluster: %s" % (what, done)):
        judge_exact(suite, scene, writer, scene.numbers(COPY), moment, what)
    scene.tenant.delete_cluster(COPY)
    scene.tenant.wait_gone(COPY)
    return done


def judge_exact(suite, scene, writer, numbers, moment, what):
    """Every row that can be judged counts: those that were under way in the second itself cannot."""
    before = {row[1] for row in writer.acknowledged() if row[3] < moment}
    after = {row[1] for row in writer.lines() if row[2] > moment}
    missing, extra = before - numbers, after & numbers
    scene.exact.append(not missing and not extra)
    suite.check(not missing and not extra and before, "%s: of %d rows before it %d are missing, of %d after it %d are there", what, len(before), len(missing), len(after), len(extra))
    suite.say("%s: %d rows from before, none of %d from after" % (what, len(before & numbers), len(after)))
