# SPDX-License-Identifier: Apache-2.0
"""Jobs as operators see them: the command, the operator's address, metrics; and `reeved worker` with its sweeps, also when it is
killed in one. The jobs themselves are of a kind that no worker knows, so that they stay as they are."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from client import wait_until
from exchange_billing import seed_usage
from suite import Suite, ends_on_signal
from world import BUILD, PREFIX, ROOT, World, connect, new_id, sql, start_node


class Reeved:
    def __init__(self, node):
        self.node = node

    def __call__(self, *words, env=None):
        """(status, output, errors) of `reeved jobs …`."""
        done = subprocess.run([os.path.join(ROOT, BUILD, "reeved"), "jobs", *words, "--config", self.node.conf], capture_output=True,
                              text=True, timeout=60, env={**os.environ, **(env or {})})
        return done.returncode, done.stdout, done.stderr

    def worker(self, failpoints=None):
        env = dict(os.environ)
        if failpoints:
            env["REEVE_FAILPOINTS"] = failpoints
        log = tempfile.NamedTemporaryFile(prefix="worker.", dir=os.environ.get("REEVE_TEST_DIR"), delete=False)
        return subprocess.Popen([os.path.join(ROOT, BUILD, "reeved"), "worker", "--config", self.node.conf], stdout=log, stderr=log, env=env)


def test_list(suite, world, jobs):
    project = world.p
    waiting = world.make_operation(world.a.home, project, done=("place", "start"), waits_for="The primary does not answer yet.")
    failed = world.make_operation(world.a.home, project, cluster="billing", state="FAILED", waits_for="No host has room.")
    done = world.make_operation(world.a.home, project, state="DONE", done=("place",))
    other = world.make_operation(world.b.home, world.q)

    def ids(*words):
        status, text, errors = jobs("--json", *words)
        suite.equal((status, errors), (0, ""), "status of jobs --json " + " ".join(words))
        return [one["id"] for one in json.loads(text)["results"]]
    suite.equal(ids(), [other, failed, waiting], "what is open, newest first")
    suite.equal(ids("--all"), [other, done, failed, waiting], "all")
    suite.equal(ids("--project", project, "--all"), [done, failed, waiting], "of one project")
    suite.equal(ids("--state", "DONE"), [done], "in one state")
    status, text, _ = jobs()
    lines = text.splitlines()
    suite.equal((status, len(lines)), (0, 4), "a table with a head")
    suite.check("The primary does not answer yet." in text and "3/4 wait-primary" in text and "No host has room." in text, "what people see: %s", text)
    status, text, _ = jobs(waiting)
    suite.check(status == 0 and "waits for      The primary" in text and "DONE       place" in text and "WAITING    wait-primary" in text,
                "one job: %s", text)
    document = json.loads(jobs(waiting, "--json")[1])
    suite.equal(([step["state"] for step in document["steps"]], [line["outcome"] for line in document["history"]]),
                (["DONE", "DONE", "WAITING"], ["DONE", "DONE"]), "one job for programs")
    for words in (("nothing",), ("--state", "LOST"), ("--project", "x"), ("retry",), ("cancel", "x"), ("--unknown",)):
        suite.equal(jobs(*words)[0], 2, "status of jobs " + " ".join(words))
    suite.equal((jobs(new_id())[0], jobs("retry", new_id())[0], jobs("cancel", new_id())[0]), (1, 1, 1), "a job that does not exist")
    return waiting, failed, done


def test_operator(suite, node, jobs, waiting):
    status, text = node.operator("/jobs")
    suite.equal((status, json.loads(text)), (200, json.loads(jobs("--json")[1])), "/jobs")
    status, text = node.operator("/jobs/" + waiting)
    suite.equal((status, json.loads(text)), (200, json.loads(jobs(waiting, "--json")[1])), "/jobs/{id}")
    for path in ("/jobs/" + new_id(), "/jobs/x", "/jobs/", "/jobsx"):
        suite.equal(node.operator(path)[0], 404, path)
    sql("UPDATE job SET overdue_at = now(), created_at = now() - interval '1h' WHERE id = decode('%s', 'hex')" % waiting)
    metrics = dict(line.rsplit(" ", 1) for line in node.operator("/metrics")[1].splitlines() if line.startswith("reeve_jobs"))
    suite.equal((metrics.get('reeve_jobs{kind="of.another.version",state="RUNNING"}'), metrics.get('reeve_jobs{kind="of.another.version",state="FAILED"}'),
                 metrics.get("reeve_jobs_overdue")), ("2", "1", "1"), "metrics of jobs")
    suite.check(3600 <= int(metrics.get("reeve_jobs_oldest_seconds", 0)) < 3700, "the oldest: %r", metrics)


def test_decisions(suite, world, connection, jobs, waiting, failed, done):
    suite.equal([jobs("cancel", one)[0] for one in (waiting, done)], [1, 1], "cancelling what was begun or is done")
    suite.equal(jobs("retry", done)[0], 1, "retrying what is done")
    suite.equal(jobs("retry", failed)[0], 0, "retrying what failed")
    suite.equal(sql("SELECT state FROM job WHERE id = decode('%s', 'hex')" % failed), "QUEUED", "after the retry")
    suite.equal(jobs("cancel", failed)[0], 1, "cancelling what was once begun")
    queued = world.make_operation(world.a.home, world.p, state="QUEUED", step="place")
    suite.equal(jobs("cancel", queued)[0], 0, "cancelling what nobody has begun")
    suite.equal(json.loads(jobs(queued, "--json")[1])["state"], "CANCELLED", "after that")
    events = connection.ask("GET", "%s/groups/%s/events?eventType=OPERATION_RETRIED&eventType=OPERATION_CANCELLED" % (PREFIX, world.p),
                            world.a.bearer()).json()["results"]
    suite.equal([(one["eventTypeName"], one["after"]["operationId"]) for one in events],
                [("OPERATION_CANCELLED", queued), ("OPERATION_RETRIED", failed)], "events of what the operator decided")


def test_worker(suite, jobs):
    status, text, _ = jobs("--failpoints")
    points = text.split()
    suite.check(status == 0 and "sweep:finished-jobs:after-effect" in points and len(points) % 3 == 0 and len(points) == len(set(points)),
                "fail points: %s", text)
    suite.equal(jobs("--failpoints", env={"REEVE_FAILPOINTS": "nonsense"})[0], 2, "status with fail points that cannot be understood")
    old = new_id()
    sql("INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, state, step, step_count, finished_at) VALUES (decode('{0}', 'hex'), "
        "decode('{0}', 'hex'), decode('{0}', 'hex'), 'k', decode('{0}', 'hex'), 'n', 'DONE', 's', 1, now() - interval '40 days')".format(old))
    gone = lambda: sql("SELECT count(*) FROM job WHERE id = decode('%s', 'hex')" % old) == "0"
    for moment, is_gone in (("before-effect", False), ("after-effect", True), ("after-commit", True)):
        worker = jobs.worker("sweep:finished-jobs:%s=kill" % moment)
        suite.equal(worker.wait(30), -signal.SIGKILL, "a worker with sweep:finished-jobs:" + moment)
        suite.equal(gone(), is_gone, "what it had swept")
        suite.equal(sql("SELECT next_run_at > now() FROM sweep WHERE name = 'finished-jobs'"), "t", "what its death costs is written")
        sql("UPDATE sweep SET next_run_at = now(), lease_until = NULL")
    worker = jobs.worker()
    try:
        began = time.monotonic()
        wait_until(lambda: sql("SELECT lease_until IS NULL AND next_run_at > now() AND succeeded_at IS NOT NULL FROM sweep WHERE name = 'finished-jobs'") == "t", 20)
        worker.send_signal(signal.SIGTERM)
        suite.equal(worker.wait(20), 0, "status of a worker that was told to stop, after %.1f s" % (time.monotonic() - began))
    finally:
        if worker.poll() is None:
            worker.kill()
            worker.wait()


def test_outage_ends(suite, world, connection, jobs):
    """D, fields that matter: a simulated outage ends by itself when its time is over, once, also after a worker that was killed at it."""
    owner, project = world.a.bearer(), "/groups/" + world.p
    regions = [{"providerName": "ONPREM", "regionName": name, "electableSpecs": {"instanceSize": "M10", "nodeCount": 1}} for name in ("EU_NORTH", "EU_SOUTH")]
    for name in ("forgotten", "going-on"):
        world.must(201, "POST", project + "/clusters", owner, {"name": name, "replicationSpecs": [{"regionConfigs": regions}]})
        begun = world.must(200, "POST", project + "/clusters/%s/outageSimulation" % name, owner,
                           {"outageFilters": [{"cloudProvider": "ONPREM", "regionName": "EU_SOUTH"}]}).json()
        suite.equal(begun["expirationDate"][10:], begun["startRequestDate"][10:], "at the same time of another day")
        suite.check(begun["expirationDate"] > begun["startRequestDate"], "it ends after it began: %s", begun)
    sql("UPDATE resource SET document = jsonb_set(document, '{expirationDate}', '\"2026-01-01T00:00:00Z\"') WHERE kind = 'outageSimulation' AND name = 'forgotten'")
    state = lambda name: connection.ask("GET", PREFIX + project + "/clusters/%s/outageSimulation" % name, owner).json()["state"]
    ended = lambda: (sql("SELECT count(*) FROM event WHERE type = 'CLUSTER_REGION_OUTAGE_END_REQUESTED'"), sql("SELECT count(*) FROM job WHERE kind = 'cluster.outage-end'"))
    for moment in ("before-effect", "after-effect"):
        sql("UPDATE sweep SET next_run_at = now(), lease_until = NULL")
        suite.equal(jobs.worker("sweep:expired-outages:%s=kill" % moment).wait(30), -signal.SIGKILL, "a worker with sweep:expired-outages:" + moment)
    sql("UPDATE sweep SET next_run_at = now(), lease_until = NULL")
    worker = jobs.worker()
    try:
        wait_until(lambda: state("forgotten").startswith("RECOVER"), 20)
        sql("UPDATE sweep SET next_run_at = now() WHERE name = 'expired-outages' AND lease_until IS NULL")
        time.sleep(1.5)
    finally:
        worker.terminate()
        worker.wait(30)
    suite.equal((ended(), state("going-on").startswith("RECOVER")), (("1", "1"), False), "one end, of the one whose time was over")


def test_payments(suite, world, connection, jobs):
    """An invoice that nobody paid: a worker locks the organization, also after one that was killed at it, and what the operator notes
    unlocks it at once."""
    node, owner = jobs.node, world.b
    node.write_conf(payment_due_days=14)
    seed_usage(owner.home)
    org = PREFIX + "/orgs/" + owner.home
    rename = lambda name: connection.ask("PATCH", org, owner.bearer(), {"name": name})
    billing = lambda *words: node.run("billing", *words, check=False).returncode
    unpaid = json.loads(node.run("billing", "unpaid", "--json").stdout)
    suite.equal([(one["orgId"], one["month"], one["amountCents"], one["due"], one["locked"]) for one in unpaid],
                [(owner.home, "2026-01", 16, "2026-02-15T01:00:00Z", False)], "what nobody paid")
    invoice = unpaid[0]["invoiceId"]
    suite.equal(rename("before").status, 200, "a change before a worker saw the invoice")
    for moment, is_locked in (("judged", "f"), ("committed", "t")):
        sql("UPDATE sweep SET next_run_at = now(), lease_until = NULL")
        worker = jobs.worker("sweep:payments:%s=kill" % moment)
        suite.equal(worker.wait(30), -signal.SIGKILL, "a worker with sweep:payments:" + moment)
        suite.equal(sql("SELECT locked_at IS NOT NULL FROM organization WHERE id = decode('%s', 'hex')" % owner.home), is_locked, "what it left")
    wait_until(lambda: rename("locked").status == 403, 10)
    refused = rename("locked")
    suite.equal((refused.code(), refused.json()["parameters"]),
                ("ORGANIZATION_LOCKED", [owner.home, "invoice %s of 2026-01 is not paid" % invoice]), "why it is refused")
    suite.equal(connection.ask("GET", org, owner.bearer()).status, 200, "a read while it is locked")
    suite.equal(billing("unlock", owner.home), 1, "a lock for an invoice is not ended by hand")
    suite.equal(billing("agree", owner.home, "--until", "soon"), 2, "an agreement until no date")
    suite.equal(billing("agree", owner.home), 2, "an agreement without an end")
    suite.equal(billing("agree", owner.home, "--until", "2099-01-01"), 0, "an agreement")
    suite.equal(rename("agreed").status, 200, "a change after it")
    suite.equal(billing("agree", owner.home, "--until", "none"), 0, "the end of the agreement")
    wait_until(lambda: rename("locked").status == 403, 10)
    suite.equal([billing("paid", "x"), billing("paid", new_id()), billing("paid", invoice, "--note", "by transfer"), billing("paid", invoice)], [2, 1, 0, 1],
                "payments of no id, of no invoice, of this one, and of this one again")
    suite.equal(rename("paid").status, 200, "a change after the payment")
    suite.check(invoice not in node.run("billing", "unpaid").stdout, "it is not owed any more")
    events = connection.ask("GET", org + "/events?" + "&".join("eventType=" + name for name in (
        "ORG_LOCKED", "ORG_UNLOCKED", "INVOICE_PAID", "PAYMENT_AGREED")), owner.bearer()).json()["results"]
    suite.equal([one["eventTypeName"] for one in reversed(events)], ["ORG_LOCKED", "PAYMENT_AGREED", "ORG_UNLOCKED", "PAYMENT_AGREED", "ORG_LOCKED",
                                                                    "INVOICE_PAID", "ORG_UNLOCKED"], "events of payments")


def main():
    ends_on_signal()
    suite = Suite("jobs")
    with start_node(workers=1) as node:
        world, jobs = World(node, with_roles=False), Reeved(node)
        with connect(node) as connection:
            waiting, failed, done = test_list(suite, world, jobs)
            test_operator(suite, node, jobs, waiting)
            test_decisions(suite, world, connection, jobs, waiting, failed, done)
        test_worker(suite, jobs)
        with connect(node) as connection:
            test_outage_ends(suite, world, connection, jobs)
            test_payments(suite, world, connection, jobs)
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
