# SPDX-License-Identifier: Apache-2.0
"""Figures about the fleet with a real worker: what /metrics of a node says equals what is in the database, no host too many is named, old figures are not shown,
scrapers do not make anybody ask more, and Prometheus finds the nodes."""
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

from client import wait_until
from suite import Suite, ends_on_signal
from world import BUILD, ROOT, World, new_id, sql, start_node

HOSTS = """
INSERT INTO provider VALUES ('LAB');
INSERT INTO region VALUES ('LAB', 'NORTH'), ('LAB', 'EMPTY');
DELETE FROM instance_size WHERE NOT EXISTS (SELECT FROM cluster_member m WHERE m.size = name);
INSERT INTO instance_size (name, cpus, memory_mb, disk_gb, max_connections, ordinal) VALUES ('L1', 1, 1024, 10, 100, 900), ('L4', 4, 8192, 100, 100, 901);
INSERT INTO host (id, name, provider, region, zone, purpose, state, cpus, memory_mb, disk_gb, used_cpus, used_memory_mb, used_disk_gb, facts, last_seen_at)
SELECT decode('ab' || lpad(to_hex(i), 22, '0'), 'hex'), 'lab' || i, 'LAB', 'NORTH', 'a', CASE WHEN i > 8 THEN 'REPOSITORY' ELSE 'DATABASE' END,
       CASE i WHEN 7 THEN 'DRAINING' WHEN 8 THEN 'REMOVED' ELSE 'ACTIVE' END, 8, 16384, 200, 1, 1024, 20,
       CASE i WHEN 2 THEN '{"strays": ["x.service", "y.service"]}' ELSE '{"strays": []}' END::jsonb, now() + interval '1 hour'
FROM generate_series(1, 10) i;
INSERT INTO host_goal_version (host_id) SELECT id FROM host WHERE provider = 'LAB' ON CONFLICT DO NOTHING;
INSERT INTO host_address (address, prefix, host_id)
SELECT ('10.99.' || i || '.' || a)::inet, 24, decode('ab' || lpad(to_hex(i), 22, '0'), 'hex') FROM generate_series(1, 6) i CROSS JOIN generate_series(1, 3) a;
INSERT INTO authority (id, purpose, certificate, key, not_after) VALUES (decode('%(authority)s', 'hex'), 'FLEET', '', '', now() + interval '400 days 1 hour');
INSERT INTO certificate (serial, authority, kind, owner, not_after, revoked_at) VALUES
    ('f1', decode('%(authority)s', 'hex'), 'HOST', 'ab' || lpad('1', 22, '0'), now() + interval '3 days', NULL),
    ('f2', decode('%(authority)s', 'hex'), 'HOST', 'ab' || lpad('1', 22, '0'), now() + interval '60 days 1 hour', NULL),
    ('f3', decode('%(authority)s', 'hex'), 'HOST', 'ab' || lpad('2', 22, '0'), now() + interval '20 days 1 hour', NULL),
    ('f4', decode('%(authority)s', 'hex'), 'HOST', 'ab' || lpad('8', 22, '0'), now() + interval '1 day', NULL),
    ('f5', decode('%(authority)s', 'hex'), 'SERVICE', 'etcd1', now() + interval '5 days 1 hour', NULL),
    ('f6', decode('%(authority)s', 'hex'), 'SERVICE', 'etcd2', now() + interval '2 days', now());
"""


def metrics(node):
    """{'name{labels}': value}"""
    text = node.operator("/metrics")[1]
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}


def taken():
    return sql("SELECT taken_at FROM fleet_figures")


def after_the_next(node):
    """What is said once figures were taken that know everything until now, and no answer of a moment ago is given again."""
    sql("UPDATE sweep SET next_run_at = now() WHERE name = 'fleet-figures'")
    since = sql("SELECT clock_timestamp()")
    wait_until(lambda: sql("SELECT count(*) FROM fleet_figures WHERE taken_at > '%s'" % since) == "1", 60)
    time.sleep(1.1)  # for so long a process gives the answer that it has
    return metrics(node)


def test_before(suite, node):
    said = node.operator("/metrics")[1]
    suite.check("# TYPE reeve_fleet_hosts gauge" in said and "\nreeve_fleet_hosts{" not in said, "explained, and without a value before a worker ran")


def test_values(suite, node):
    sql(HOSTS % {"authority": new_id()})
    said = after_the_next(node)
    lab = {"hosts": 'reeve_fleet_hosts{purpose="%s",state="%s"}'}
    for purpose in ("DATABASE", "REPOSITORY"):
        for state in ("ACTIVE", "DRAINING", "DRAINED"):
            suite.equal(said.get(lab["hosts"] % (purpose, state)), float(sql("SELECT count(*) FROM host WHERE purpose = '%s' AND state = '%s'" % (purpose, state))),
                        "hosts %s %s" % (purpose, state))
    # 6 hosts: 7 processors, 15 GB, 180 GB and 3 addresses are left on each.
    suite.equal([said.get('reeve_fleet_room{provider="LAB",region="%s",size="%s"}' % place) for place in (("NORTH", "L1"), ("NORTH", "L4"), ("EMPTY", "L1"))],
                [18.0, 6.0, 0.0], "room: by addresses, by processors and memory, and where there is no host")
    suite.equal([said.get('reeve_fleet_%s{provider="LAB",region="NORTH",state="%s"}' % (what, state)) for what in ("cpus", "memory_bytes", "disk_bytes") for state in ("total", "reserved")],
                [48.0, 6.0, 6 * 2.0 ** 34, 6 * 2.0 ** 30, 1200 * 2.0 ** 30, 120 * 2.0 ** 30], "what a region has")
    suite.equal((said.get("reeve_fleet_strays"), said.get('reeve_fleet_host_strays{host="lab2"}')), (2.0, 2.0), "strays")
    suite.equal([int(said['reeve_fleet_certificate_days{kind="%s"}' % kind]) for kind in ("HOST", "SERVICE", "FLEET_AUTHORITY")], [20, 5, 400],
                "days: the newest of a host counts, neither a removed host nor a revoked certificate does")
    suite.equal([said['reeve_fleet_certificates_ending{kind="%s",within="%s"}' % row] for row in (("HOST", "7d"), ("HOST", "30d"), ("SERVICE", "7d"), ("SERVICE", "30d"))],
                [0.0, 1.0, 1.0, 1.0], "certificates that end")
    suite.equal([said['reeve_fleet_repository_%s_bytes{host="lab9"}' % what] for what in ("disk", "reserved", "used")], [200 * 2.0 ** 30, 20 * 2.0 ** 30, 0.0], "a repository host")
    suite.equal(sum(value for name, value in said.items() if name.startswith("reeve_fleet_members{")), float(sql("SELECT count(*) FROM cluster_member")), "members")
    suite.equal(sum(value for name, value in said.items() if name.startswith("reeve_fleet_clusters{")), float(sql("SELECT count(DISTINCT cluster_id) FROM cluster_member")), "clusters")
    suite.equal((said['reeve_fleet_instances{kind="API"}'], said['reeve_fleet_instances{kind="WORKER"}']), (1.0, 1.0), "processes")
    suite.check(said["reeve_fleet_age_seconds"] < 60 and said["reeve_fleet_took_seconds"] < 30, "how they were taken: %s, %s", said["reeve_fleet_age_seconds"], said["reeve_fleet_took_seconds"])


def test_clusters(suite, node):
    """Each cluster is counted once, by what is known of its primary."""
    cluster = sql("SELECT encode(cluster_id, 'hex') FROM cluster_member GROUP BY cluster_id ORDER BY cluster_id LIMIT 1")
    of = "WHERE cluster_id = decode('%s', 'hex')" % cluster
    sql("UPDATE cluster_member SET desired = 'STOPPED'")
    counted = lambda: {name.split('"')[1]: int(value) for name, value in after_the_next(node).items() if name.startswith("reeve_fleet_clusters{") and value and "STOPPED" not in name}
    suite.equal(counted(), {}, "all are stopped")
    sql("UPDATE cluster_member SET desired = 'RUNNING', unit = 'active', role = 'REPLICA', reported_at = now() + interval '1 hour' " + of)
    sql("UPDATE job SET state = 'DONE', finished_at = now() WHERE subject = decode('%s', 'hex') AND finished_at IS NULL" % cluster)
    suite.equal(counted(), {"NONE": 1}, "nobody is the primary")
    sql("UPDATE cluster_member SET role = 'PRIMARY' %s AND ordinal = (SELECT min(ordinal) FROM cluster_member %s)" % (of, of))
    suite.equal(counted(), {"HEALTHY": 1}, "one is")
    sql("UPDATE cluster_member SET reported_at = now() - interval '3 minutes' " + of)
    suite.equal(counted(), {"SILENT": 1}, "nothing was heard of it")
    sql("UPDATE cluster_member SET role = 'NONE', reported_at = now() + interval '1 hour', problem = 'Its disk is full.' " + of)
    sql("UPDATE job SET state = 'RUNNING', finished_at = NULL, kind = 'cluster.resume', waits_for = NULL, created_at = now() - interval '2 hours' WHERE id = (SELECT id FROM job ORDER BY id LIMIT 1)")
    sql("UPDATE job SET subject = decode('%s', 'hex'), next_run_at = now() + interval '1 day' WHERE id = (SELECT id FROM job ORDER BY id LIMIT 1)" % cluster)
    suite.equal(counted(), {"STARTING": 1} if sql("SELECT count(*) FROM job") != "0" else {"NONE": 1}, "a job is about to make one")
    said = metrics(node)
    suite.equal(said["reeve_fleet_members_with_problem"], float(sql("SELECT count(*) FROM cluster_member WHERE problem IS NOT NULL")), "members with problems")


def test_bounds(suite, node):
    """Ten thousand silent hosts are counted, and fifty are named."""
    sql("INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, last_seen_at, facts) "
        "SELECT decode('ad' || lpad(to_hex(i), 22, '0'), 'hex'), 'silent\"' || i, 'LAB', 'NORTH', 'a', 1, 1024, 10, now() - make_interval(secs => 1000 + i), '{\"strays\": [\"x\"]}' FROM generate_series(1, 300) i")
    said = after_the_next(node)
    named = {name: value for name, value in said.items() if name.startswith("reeve_fleet_host_silent_seconds{")}
    suite.equal((len(named), len([name for name in said if name.startswith("reeve_fleet_host_strays{")])), (50, 50), "hosts that are named")
    suite.check(min(named.values()) >= 1250 and 'reeve_fleet_host_silent_seconds{host="silent\\"300"}' in named, "the longest, and quotes are quoted: %s", sorted(named)[:3])
    suite.equal(said['reeve_fleet_hosts_silent{purpose="DATABASE"}'],
                float(sql("SELECT count(*) FROM host WHERE purpose = 'DATABASE' AND state <> 'REMOVED' AND coalesce(last_seen_at, joined_at) < now() - interval '1 minute'")), "all are counted")
    text = node.operator("/metrics")[1]
    suite.check(len(text) < 512 * 1024, "the answer has %d bytes", len(text))
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        problems = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("reeve_fleet_")
                    and not line.startswith("reeve_fleet_certificate_days ")]  # people think of certificates in days
        suite.equal((done.returncode in (0, 3), problems), (True, []), "promtool reads all of it, and finds nothing to say about the fleet: %s" % done.stderr[:300])
    sql("DELETE FROM host WHERE name LIKE 'silent%'")


def test_scrapers(suite, node):
    """Whoever asks, and how often, nobody takes figures because of it, and the database is asked at most once a second by a process."""
    sql("UPDATE sweep SET next_run_at = now() + interval '1 hour' WHERE name = 'fleet-figures'")
    before = taken()
    calls = lambda: int(sql("SELECT sum(calls) FROM pg_stat_user_functions") or 0) if sql("SHOW track_functions") != "none" else 0
    count = calls()
    answers = []
    threads = [threading.Thread(target=lambda: [answers.append(node.operator("/metrics")[0]) for _ in range(20)]) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    suite.equal((len(answers), set(answers), taken(), calls() - count), (200, {200}, before, 0), "two hundred scrapes")


def test_old(suite, node):
    sql("UPDATE sweep SET next_run_at = now() + interval '1 hour' WHERE name = 'fleet-figures'; UPDATE fleet_figures SET taken_at = now() - interval '6 minutes'")
    wait_until(lambda: metrics(node).get("reeve_fleet_age_seconds", 0) > 300, 20)
    said = metrics(node)
    suite.equal([name for name in said if name.startswith("reeve_fleet_") and name not in ("reeve_fleet_age_seconds", "reeve_fleet_took_seconds")], [], "what is five minutes old is not shown")
    suite.check(after_the_next(node).get('reeve_fleet_instances{kind="API"}') == 1.0, "until a worker takes them again")


def test_targets(suite, node):
    """What Prometheus' HTTP service discovery reads."""
    listen = "127.0.0.1:%d" % node.operator_port
    wait_until(lambda: listen in node.operator("/targets")[1], 40)
    status, text = node.operator("/targets")
    found = json.loads(text)
    suite.equal((status, [one["targets"] for one in found]), (200, [[listen]]), "nodes; a worker has nothing to ask")
    suite.check(all(isinstance(value, str) for one in found for value in one["labels"].values()) and found[0]["labels"]["__metrics_path__"] == "/metrics"
                and found[0]["labels"]["__scheme__"] == "http", "labels: %s", found)
    sql("UPDATE instance SET seen_at = now() - interval '11 minutes'")
    suite.equal(json.loads(node.operator("/targets")[1]), [], "one that is gone for long")
    sql("INSERT INTO instance (kind, name, address, is_encrypted, version) VALUES ('API', 'other/9443', 'other:9443', true, '9')")
    suite.equal([(one["targets"], one["labels"]["__scheme__"]) for one in json.loads(node.operator("/targets")[1]) if one["targets"] != [listen]], [(["other:9443"], "https")], "another node")
    if shutil.which("promtool"):
        with open(os.path.join(os.environ["REEVE_TEST_DIR"], "sd.json"), "w", encoding="utf-8") as file:
            file.write(node.operator("/targets")[1])
        with open(os.path.join(os.environ["REEVE_TEST_DIR"], "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write("scrape_configs:\n  - job_name: reeve\n    file_sd_configs:\n      - files: [sd.json]\n")
        done = subprocess.run(["promtool", "check", "config", "prometheus.yml"], cwd=os.environ["REEVE_TEST_DIR"], capture_output=True, text=True, check=False)
        suite.equal(done.returncode, 0, "promtool reads the list: %s%s" % (done.stdout, done.stderr))


def test_tenants(suite):
    """A transaction of a tenant neither takes figures nor sees any."""
    for asked in ("SELECT fleet_figures_take()", "SELECT * FROM fleet_figures", "SELECT * FROM host_figures", "SELECT * FROM certificate_figures", "SELECT * FROM cluster_primary",
                  "UPDATE fleet_figures SET took_ms = 0", "SELECT 1 / (SELECT count(*)::int FROM instance)", "SELECT 1 / (SELECT count(*)::int FROM cluster_watch)"):
        done = subprocess.run(["psql", os.environ["REEVE_TEST_SUPER_DSN"], "-XqAt", "-v", "ON_ERROR_STOP=1", "-c",
                               "BEGIN; SET LOCAL ROLE reeve_tenant; SET LOCAL reeve.service = 'off'; SET LOCAL reeve.organization = '%s'; %s" % (new_id(), asked)],
                              capture_output=True, text=True, check=False)
        suite.check(done.returncode != 0 and re.search("service only|permission denied|division by zero", done.stderr), "a tenant's %s: %s%s", asked, done.stdout, done.stderr)


def main():
    ends_on_signal()
    suite = Suite("figures")
    with start_node(workers=1) as node:
        world = World(node, with_roles=False)
        world.make_fixtures()
        test_before(suite, node)
        worker = subprocess.Popen([os.path.join(ROOT, BUILD, "reeved"), "worker", "--config", node.conf])
        try:
            wait_until(lambda: sql("SELECT count(*) FROM fleet_figures") == "1" and sql("SELECT count(*) FROM instance WHERE kind = 'WORKER'") == "1", 60)
            test_values(suite, node)
            test_clusters(suite, node)
            test_bounds(suite, node)
            test_scrapers(suite, node)
            test_old(suite, node)
            test_targets(suite, node)
            test_tenants(suite)
        finally:
            worker.kill()
            worker.wait()
        world.close()
    return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
