#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the figures about the fleet cost with 10,000 hosts: the time that a worker needs to take them, and what the database reads for it.

  script/with-services test/bench/fleet_figures.py [--hosts 10000] [--build build]
"""
import argparse
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "api"))
from node import Node  # noqa: E402

WORLD = """
SET session_replication_role = replica; -- no triggers: what they would do is not measured
INSERT INTO provider VALUES ('OWN');
INSERT INTO region SELECT 'OWN', 'R' || i FROM generate_series(1, 20) i;
INSERT INTO instance_size SELECT 'M' || i, i * 0.5, i * 1024, i * 10, 100, i FROM generate_series(1, 12) i;
INSERT INTO host (id, name, provider, region, zone, cpus, memory_mb, disk_gb, used_cpus, used_memory_mb, used_disk_gb, facts, last_seen_at, purpose)
SELECT decode(lpad(to_hex(i), 24, '0'), 'hex'), 'h' || i, 'OWN', 'R' || 1 + i % 20, 'a', 32, 131072, 4000, i % 20, (i % 20) * 4096, (i % 20) * 100,
       '{{"strays": [], "agentVersion": "0.1.0", "patroniVersion": "4.0.7", "postgresVersions": ["16.4", "17.2"], "walls": []}}',
       now() - CASE WHEN i % 100 = 0 THEN interval '5 minutes' ELSE interval '5 seconds' END, CASE WHEN i % 20 = 0 THEN 'REPOSITORY' ELSE 'DATABASE' END
FROM generate_series(1, {hosts}) i;
INSERT INTO host_goal_version (host_id) SELECT id FROM host;
INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version)
SELECT decode(lpad(to_hex(16777216 + i), 24, '0'), 'hex'), decode(lpad('1', 24, '0'), 'hex'), decode(lpad('2', 24, '0'), 'hex'), 'c' || i, lpad(to_hex(i), 6, '0'), '17'
FROM generate_series(1, {hosts}) i;
INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb, unit, role, running, reported_at)
SELECT decode(lpad(to_hex(33554432 + i * 3 + m), 24, '0'), 'hex'), decode(lpad('1', 24, '0'), 'hex'), decode(lpad(to_hex(16777216 + i), 24, '0'), 'hex'),
       decode(lpad(to_hex(1 + (i + m * 7) % {hosts}), 24, '0'), 'hex'), m, 'RUNNING', 'M2', 1, 2048, 20, 'active', CASE m WHEN 0 THEN 'PRIMARY' ELSE 'REPLICA' END, 'running',
       now() - interval '10 seconds'
FROM generate_series(1, {hosts}) i CROSS JOIN generate_series(0, 2) m;
INSERT INTO host_address (address, prefix, host_id)
SELECT '10.0.0.0'::inet + (i * 90 + a), 24, decode(lpad(to_hex(i), 24, '0'), 'hex') FROM generate_series(1, {hosts}) i CROSS JOIN generate_series(1, 90) a;
WITH first AS (SELECT DISTINCT ON (a.host_id) a.address, a.host_id FROM host_address a ORDER BY a.host_id, a.address),
     one AS (SELECT DISTINCT ON (m.host_id) m.id, m.host_id FROM cluster_member m ORDER BY m.host_id, m.id)
UPDATE host_address a SET member_id = o.id FROM first f JOIN one o ON o.host_id = f.host_id WHERE a.address = f.address;
INSERT INTO authority (id, purpose, certificate, key, not_after) VALUES (decode(lpad('3', 24, '0'), 'hex'), 'FLEET', '', '', now() + interval '9 years');
INSERT INTO certificate (serial, authority, kind, owner, not_after)
SELECT 'a' || n || encode(h.id, 'hex'), decode(lpad('3', 24, '0'), 'hex'), 'HOST', encode(h.id, 'hex'), now() + n * interval '40 days' FROM host h, generate_series(1, 2) n
UNION ALL SELECT 'b' || n || encode(m.id, 'hex'), decode(lpad('3', 24, '0'), 'hex'), 'MEMBER', encode(m.id, 'hex'), now() + n * interval '40 days' FROM cluster_member m, generate_series(1, 2) n
UNION ALL SELECT 'c' || i, decode(lpad('3', 24, '0'), 'hex'), 'USER', 'p/u' || i, now() + i % 300 * interval '1 day' FROM generate_series(1, 20000) i;
INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher)
SELECT c.id, c.org_id, c.project_id, c.id, c.name, 1, c.set_name || '-1', '17', '' FROM cluster c;
INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb, unit, window_to, used_bytes, reported_at)
SELECT c.id, c.org_id, c.id, decode(lpad(to_hex(20 * (1 + get_byte(c.id, 11) % ({hosts} / 20))), 24, '0'), 'hex'), 0, 10, 'active', now() - interval '3 seconds', 1000000000, now() FROM cluster c;
INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, state, step, step_count, created_at, finished_at)
SELECT decode(lpad(to_hex(67108864 + i), 24, '0'), 'hex'), decode(lpad('1', 24, '0'), 'hex'), decode(lpad('2', 24, '0'), 'hex'), 'cluster.update', decode(lpad(to_hex(16777216 + i % {hosts}), 24, '0'), 'hex'),
       'c', CASE WHEN i % 100 = 0 THEN 'RUNNING' ELSE 'DONE' END, 'x', 1, now() - interval '1 hour', CASE WHEN i % 100 <> 0 THEN now() END
FROM generate_series(1, 50000) i;
SET session_replication_role = origin;
VACUUM ANALYZE;
"""
TAKE = "BEGIN; SET LOCAL reeve.service = 'on'; SELECT fleet_figures_take(); COMMIT;"
VIEWS = ("host_figures", "capacity_figures", "certificate_figures", "cluster_figures", "etcd_figures", "backup_figures", "job_figures", "instance_figures")


def sql(text):
    return subprocess.run(["psql", os.environ["REEVE_TEST_SUPER_DSN"], "-XqAt", "-v", "ON_ERROR_STOP=1"], input=text, capture_output=True, text=True, check=True).stdout.strip()


def rows_read(plan):
    """Rows that scans gave, all loops together."""
    return sum(int(float(rows) * int(loops)) for rows, loops in re.findall(r"(?:Scan|Scan using|Only Scan)[^\n]*\(actual rows=([\d.]+) loops=(\d+)\)", plan))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=10000)
    parser.add_argument("--build", default="build")
    given = parser.parse_args()
    Node(build=given.build, workers=1).run("migrate")
    sql(WORLD.format(hosts=given.hosts))
    for view in VIEWS:
        plan = sql("SET jit = off; EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) SELECT * FROM %s;" % view)
        print("%-20s %8.1f ms, %8d rows read, %6s pages" % (view, float(re.search(r"Execution Time: ([\d.]+)", plan).group(1)), rows_read(plan),
                                                         (re.search(r"Buffers: shared hit=(\d+)", plan) or ["", "0"])[1]))
    times = []
    for _ in range(7):
        began = time.monotonic()
        sql(TAKE)
        times.append((time.monotonic() - began) * 1000)
    took = sql("SELECT took_ms || ' ms, ' || jsonb_array_length(figures) || ' figures, ' || length(figures::text) || ' bytes' FROM fleet_figures")
    print("all of them at once: median %.0f ms with psql's start, the last by itself %s" % (sorted(times)[3], took))
    return 0


if __name__ == "__main__":
    sys.exit(main())
