# SPDX-License-Identifier: Apache-2.0
"""Clusters that follow their load by themselves, with real nodes, two real workers and a real store of measurements: whose load it was, one change and one mail for it, and
tenants who try to get something else out of it. Hosts are without agents: what would be done on them is a job that waits. (Hours of load are in test/unit/job_scaling_test.c.)"""
import os
import sys
import tempfile
import time

from aiosmtpd.controller import Controller

from alerts_test import Mailbox, Worker
from client import wait_until
from measurements import MonitorStore
from node import free_port
from suite import Suite, ends_on_signal
from world import BUILD, PREFIX, ROOT, World, connect, sql, start_node

sys.path.insert(0, os.path.join(ROOT, "test", "cli"))
from terminal import Reeve  # noqa: E402

MINUTES, EVERY_S, MB, GB = 75, 10, 1 << 20, 1 << 30
COOL = {"enabled": True, "scaleDownEnabled": True, "minInstanceSize": "M10", "maxInstanceSize": "M20"}


# ---- Clusters ----
def specs(scaling=None, size="M10"):
    region = {"providerName": "ONPREM", "regionName": "EU_NORTH", "electableSpecs": {"instanceSize": size, "nodeCount": 3}}
    return [{"regionConfigs": [{**region, **({} if scaling is None else {"autoScaling": scaling})}]}]


SCALES = {"compute": COOL, "diskGB": {"enabled": True}}


def make_cluster(world, owner, project, name, scaling=SCALES, size="M10"):
    """A cluster as its hosts would have made it, which has been as it is for two hours."""
    world.must(201, "POST", "/groups/%s/clusters" % project, owner.bearer(), {"name": name, "replicationSpecs": specs(scaling, size)})
    where = "c.project_id = decode('%s', 'hex') AND c.name = '%s'" % (project, name)
    sql("DELETE FROM job WHERE subject IN (SELECT c.id FROM cluster c WHERE %s);"
        "UPDATE resource r SET state = 'IDLE', observed_generation = generation FROM cluster c WHERE r.id = c.id AND r.kind = 'cluster' AND %s;"
        "UPDATE cluster_member m SET desired = 'RUNNING', unit = 'active', role = CASE ordinal WHEN 0 THEN 'PRIMARY' ELSE 'REPLICA' END, timeline = 1, version = '17.6', reported_at = now() "
        "FROM cluster c WHERE c.id = m.cluster_id AND %s" % (where, where, where))
    settle(project, name)
    return {"project": project, "name": name, "where": where, "id": sql("SELECT encode(c.id, 'hex') FROM cluster c WHERE " + where),
            "members": sql("SELECT encode(m.id, 'hex') FROM cluster_member m JOIN cluster c ON c.id = m.cluster_id WHERE %s ORDER BY m.ordinal" % where).split("\n")}


def settle(project, name):
    """What was asked for is what was last seen, and that is two hours ago."""
    sql("UPDATE cluster_scaling s SET changed_at = now() - interval '2 hours', seen = md5((r.document -> 'replicationSpecs')::text) FROM resource r JOIN cluster c ON c.id = r.id "
        "WHERE s.cluster_id = c.id AND r.kind = 'cluster' AND c.project_id = decode('%s', 'hex') AND c.name = '%s'" % (project, name))


def load(store, cluster, percent, memory=200 * MB, data=GB, connections=5):
    """Points of the last hour and more, as agents send them, and of the two minutes in which workers look."""
    lines, now = [], int(time.time()) + 120
    for number, member in enumerate(cluster["members"]):
        labels = "reeve,project=%s,cluster=%s,member=%s" % (cluster["project"], cluster["id"], member)
        for step in range(MINUTES * 60 // EVERY_S):
            at = (now - MINUTES * 60 + step * EVERY_S) * 1000
            counted = step * EVERY_S * (percent if number == 0 else percent / 2)
            lines.append("%s PROCESS_NORMALIZED_CPU_USER=%s,PROCESS_NORMALIZED_CPU_KERNEL=0,MEMORY_RESIDENT=%s,CONNECTIONS=%s %d" % (labels, counted, memory, connections, at))
        for step in range(MINUTES // 5):
            lines.append("%s,name=shop DATABASE_STORAGE_SIZE=%s %d" % (labels, data, (now - step * 300) * 1000))
    store.write(lines)
    wait_until(lambda: all(store.count(member) > 0 for member in cluster["members"]), 20)


# ---- What became of them ----
class Seen:
    def __init__(self, world):
        self.world = world

    def cluster(self, owner, cluster):
        return self.world.must(200, "GET", "/groups/%(project)s/clusters/%(name)s" % cluster, owner.bearer()).json()

    def size(self, owner, cluster):
        found = self.cluster(owner, cluster)["replicationSpecs"][0]["regionConfigs"][0]["electableSpecs"]
        return found["instanceSize"], found["diskSizeGB"]

    def said(self, owner, cluster, part="compute"):
        answer = self.world.must(200, "GET", "/groups/%(project)s/clusters/%(name)s/autoScalingConfiguration" % cluster, owner.bearer()).json()
        return answer.get(part, {})

    def finding(self, owner, cluster, part="compute"):
        return self.said(owner, cluster, part).get("finding")

    def events(self, owner, cluster):
        listed = self.world.must(200, "GET", "/groups/%(project)s/events?itemsPerPage=500&clusterNames=%(name)s" % cluster, owner.bearer()).json()["results"]
        return [one for one in listed if "AUTO_SCALE" in one["eventTypeName"]]

    @staticmethod
    def jobs(cluster):
        return int(sql("SELECT count(*) FROM job WHERE subject = decode('%(id)s', 'hex')" % cluster))


def look_again():
    """Everything is due."""
    sql("UPDATE cluster_scaling SET looked_at = to_timestamp(0); UPDATE sweep SET next_run_at = now(), lease_until = NULL WHERE name = 'cluster-scaling'")


def test_follows(suite, world, seen, clusters, mailbox):
    a, b = world.a, world.b
    wait_until(lambda: seen.events(a, clusters["busy"]), 60)
    wait_until(lambda: seen.events(a, clusters["full"]), 60)
    wait_until(lambda: seen.finding(b, clusters["theirs"]) is not None, 60)
    wait_until(lambda: seen.finding(a, clusters["blind"]) == "NOT_MEASURED", 60)
    events = seen.events(a, clusters["busy"])
    suite.equal([one["eventTypeName"] for one in events], ["COMPUTE_AUTO_SCALE_INITIATED_BASE"], "one event of one step, with two workers")
    about = events[0]["after"]
    suite.equal((about["from"]["instanceSize"], about["to"]["instanceSize"], about["measured"]["what"], about["measured"]["limitPercent"]), ("M10", "M20", "processors", 75), "what it says")
    suite.check(about["reason"].startswith("Processors of a member were 9") and about["reason"].endswith("from M10 to M20."), "its sentence: %s", about["reason"])
    suite.equal((seen.size(a, clusters["busy"]), seen.cluster(a, clusters["busy"])["stateName"], seen.jobs(clusters["busy"])), (("M20", 10), "UPDATING", 1), "the cluster is being changed")
    suite.equal(sql("SELECT string_agg(DISTINCT size, ',') FROM cluster_member WHERE cluster_id = decode('%(id)s', 'hex')" % clusters["busy"]), "M20", "its members have room for it")
    suite.equal(sql("SELECT count(*) FROM usage_span WHERE cluster_id = decode('%(id)s', 'hex') AND sku = 'MEMBER_M20' AND ended_at IS NULL" % clusters["busy"]), "3", "its usage counts as that")
    suite.equal([one["eventTypeName"] for one in seen.events(a, clusters["full"])], ["DISK_AUTO_SCALE_INITIATED"], "a full disk")
    suite.equal(seen.size(a, clusters["full"]), ("M10", 14), "it grows")
    for name, part, finding in (("busy", "compute", "TOO_SMALL"), ("full", "disk", "DISK_FULL")):
        # Workers may have looked again since: then it is CHANGING.
        said, step = seen.said(a, clusters[name], part), seen.events(a, clusters[name])[0]["after"]
        suite.check((said.get("finding"), said.get("reason")) == (finding, step["reason"]) or said.get("finding") == "CHANGING", "what is said of it is what was done: %s %s", said, step)
    suite.equal((seen.size(a, clusters["off"]), seen.events(a, clusters["off"]), seen.finding(a, clusters["off"])), (("M10", 10), [], None), "one that was not asked to scale")
    suite.equal((seen.size(b, clusters["theirs"]), seen.events(b, clusters["theirs"]), seen.finding(b, clusters["theirs"])), (("M10", 10), [], "FITS"), "another tenant's, at rest beside it")
    suite.equal((seen.size(a, clusters["blind"]), seen.events(a, clusters["blind"])), (("M20", 20), []), "one of which nothing was measured")
    wait_until(lambda: mailbox.mails, 60)
    time.sleep(2)
    suite.equal([to for to, _ in mailbox.mails], [["a@example.org"]], "one mail")
    text = mailbox.mails[0][1].as_string()
    suite.check("COMPUTE_AUTO_SCALE_INITIATED_BASE" in text and "busy" in text, "what it says: %s", text[:500])


def test_strange_points(suite, world, seen, clusters, store):
    """What cannot be is not taken for a load, however it got into the store."""
    look_again()
    wait_until(lambda: seen.finding(world.a, clusters["strange"]) is not None and sql("SELECT looked_at > to_timestamp(0) FROM cluster_scaling WHERE cluster_id = decode('%(id)s', 'hex')" % clusters["strange"]) == "t", 60)
    suite.equal((seen.size(world.a, clusters["strange"]), seen.events(world.a, clusters["strange"])), (("M20", 20), []), "nothing follows from nonsense")


def test_bounds(suite, world, connection):
    """A: bodies. Each is refused with a code and a sentence, and nothing changes."""
    target = PREFIX + "/groups/%s/clusters/calm" % world.p
    before = sql("SELECT md5(document::text) FROM resource WHERE kind = 'cluster' AND name = 'calm'")
    wrong = [{"compute": {**COOL, **change}} for change in (
        {"maxInstanceSize": "M9000"}, {"maxInstanceSize": "FLEX"}, {"maxInstanceSize": ""}, {"maxInstanceSize": "M" * 33}, {"maxInstanceSize": "M20\u0000"}, {"maxInstanceSize": "../M20"},
        {"maxInstanceSize": "M20' OR 1=1 --"}, {"maxInstanceSize": 20}, {"maxInstanceSize": 1e308}, {"maxInstanceSize": None}, {"maxInstanceSize": ["M20"]}, {"maxInstanceSize": {"$ne": 1}},
        {"minInstanceSize": "M20"}, {"minInstanceSize": "\u041c10"}, {"enabled": "yes"}, {"enabled": 1}, {"enabled": None}, {"scaleDownEnabled": 2 ** 63}, {"predictiveEnabled": True},
        {"enabled": False}, {"unknown": True}, {"lookEverySeconds": 0})]
    wrong += [{"compute": []}, {"compute": "M20"}, {"diskGB": {"enabled": "M20"}}, {"diskGB": {"enabled": True, "maximumGB": 10 ** 30}}, [], "on", {"compute": {"enabled": True}}]
    for scaling in wrong:
        answer = connection.ask("PATCH", target, world.a.bearer(), {"replicationSpecs": specs(scaling)})
        suite.check(answer.status == 400 and answer.json().get("errorCode") and len(answer.json().get("detail", "")) > 10, "autoScaling %s: %s", scaling, answer)
    answer = connection.ask("PATCH", target, world.a.bearer(), {"replicationSpecs": specs({"compute": {**COOL, "maxInstanceSize": "M10"}})})
    suite.equal(answer.status, 200, "bounds of one size")
    connection.ask("PATCH", target, world.a.bearer(), {"replicationSpecs": specs(SCALES)})
    suite.equal(sql("SELECT md5(document::text) FROM resource WHERE kind = 'cluster' AND name = 'calm'"), before, "nothing of it stays")
    for caller, status in ((world.b, 401),):
        answer = connection.ask("GET", target + "/autoScalingConfiguration", caller.bearer())
        suite.equal(answer.status, status, "another tenant looks at what was found")
        answer = connection.ask("PATCH", target, caller.bearer(), {"replicationSpecs": specs()})
        suite.equal(answer.status, status, "another tenant switches it off")


def test_command_line(suite, world, node, seen, clusters):
    """As the guide says it."""
    with tempfile.TemporaryDirectory(prefix="reeve-home.") as home:
        reeve = Reeve(BUILD, home)
        login = reeve.pipe("login", "--server", node.base_url, "--ca-file", node.ca, "--client-id", world.a.client_id, "--project", world.p, stdin=world.a.client_secret.encode() + b"\n")
        suite.equal(login.status, 0, "logging in: %s" % login.err)
        done = reeve.pipe("clusters", "update", "off", "--scale-compute", "--scale-max", "M20", "--scale-down", "--scale-min", "M10", "--scale-disk")
        suite.equal(done.status, 0, "switching it on: %s" % done.err)
        region = seen.cluster(world.a, clusters["off"])["replicationSpecs"][0]["regionConfigs"][0]
        suite.equal((region.get("autoScaling"), region["electableSpecs"]["instanceSize"]), (SCALES, "M10"), "what was asked for")
        done = reeve.pipe("clusters", "update", "off", "--no-scale-compute", "--no-scale-down")
        suite.equal(done.status, 0, "switching sizes off: %s" % done.err)
        scaling = seen.cluster(world.a, clusters["off"])["replicationSpecs"][0]["regionConfigs"][0]["autoScaling"]
        suite.equal((scaling["compute"]["enabled"], scaling["diskGB"]["enabled"]), (False, True), "the rest stays")
        shown = reeve.pipe("clusters", "auto-scaling", "get", "calm", "--output", "json")
        suite.check(shown.status == 0 and b'"finding"' in shown.out, "what was found: %s %s", shown.out, shown.err)


def test_toggling(suite, world, connection, seen, clusters):
    """A tenant who switches it on and off as fast as they can gets no more looks, no job, and keeps nobody else from being looked at."""
    target = PREFIX + "/groups/%s/clusters/calm" % world.p
    looks = lambda cluster: sql("SELECT extract(epoch FROM looked_at) FROM cluster_scaling WHERE cluster_id = decode('%(id)s', 'hex')" % cluster)
    jobs, began, seen_looks, count = seen.jobs(clusters["calm"]), time.monotonic(), set(), 0
    theirs = looks(clusters["theirs"])
    while time.monotonic() - began < 65:
        answer = connection.ask("PATCH", target, world.a.bearer(), {"replicationSpecs": specs(SCALES if count % 2 else None)})
        suite.check(answer.status == 200, "it is switched: %s", answer)
        count += 1
        if count % 10 == 0:
            seen_looks.add(looks(clusters["calm"]))
    suite.check(len(seen_looks) <= 3, "%d changes within a minute, and %d looks", count, len(seen_looks))
    suite.check(count > 20, "it was tried often enough: %d", count)
    suite.equal(seen.jobs(clusters["calm"]), jobs, "jobs of it")
    suite.equal(sql("SELECT count(*) FROM cluster_scaling WHERE cluster_id = decode('%(id)s', 'hex')" % clusters["calm"]), "1", "one row")
    wait_until(lambda: looks(clusters["theirs"]) != theirs, 70)
    suite.equal(seen.events(world.a, clusters["calm"]), [], "nothing came of it")


def main():
    ends_on_signal()
    suite = Suite("scaling")
    mailbox, mail_port = Mailbox(), free_port()
    mail = Controller(mailbox, hostname="127.0.0.1", port=mail_port)
    mail.start()
    settings = {"smtp": "smtp://127.0.0.1:%d" % mail_port, "smtp_from": "reeve@example.org"}
    with MonitorStore() as store, start_node(workers=1, settings={**settings, "monitor_stores": store.url}) as node:
        world = World(node, with_roles=False)
        a, b, p, q = world.a, world.b, world.p, world.q
        sql("DELETE FROM resource WHERE kind = 'alertConfig'")
        world.must(200, "POST", "/groups/%s/alertConfigs" % p, a.bearer(), {"eventTypeName": "COMPUTE_AUTO_SCALE_INITIATED_BASE", "enabled": True, "notifications": [
            {"typeName": "EMAIL", "emailAddress": "a@example.org", "delayMin": 0}]})
        clusters = {name: make_cluster(world, a, p, name) for name in ("busy", "full", "calm")}
        clusters["off"] = make_cluster(world, a, p, "off", scaling=None)
        clusters["theirs"] = make_cluster(world, b, q, "theirs")
        clusters["blind"] = make_cluster(world, a, p, "blind", size="M20")
        clusters["strange"] = make_cluster(world, a, p, "strange", size="M20")
        load(store, clusters["busy"], 95)
        load(store, clusters["off"], 95)
        load(store, clusters["full"], 60, data=9.5 * GB)
        for name in ("calm", "theirs"):
            load(store, clusters[name], 60)
        load(store, clusters["strange"], 1e12, memory=-5, connections=1e300, data=1e30)
        workers = [Worker(node.conf), Worker(node.conf)]
        try:
            for worker in workers:
                worker.start()
            with connect(node) as connection:
                seen = Seen(world)
                test_follows(suite, world, seen, clusters, mailbox)
                test_strange_points(suite, world, seen, clusters, store)
                test_bounds(suite, world, connection)
                test_command_line(suite, world, node, seen, clusters)
                test_toggling(suite, world, connection, seen, clusters)
        finally:
            for worker in workers:
                if worker.process is not None and worker.process.poll() is None:
                    worker.process.kill()
                    worker.process.wait()
                os.unlink(worker.log.name)
            mail.stop()
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
