# SPDX-License-Identifier: Apache-2.0
"""A fleet for operators to look at: hosts and clusters that are rows of the database, kept as if their agents reported."""
import threading

from world import sql

REPORT_S = 10
FAILED_JOB, DRAINED = "7a" + "0" * 22, "h20"
# Of 1,000 clusters one has no primary, one is silent, some have a member that does not run, most are well; ten companies own them.
CLUSTERS = """
SET session_replication_role = replica; -- no triggers: nobody waits for what they would do
UPDATE host SET facts = facts || '{"agentVersion": "0.9.0"}', address = '10.90.0.1', used_cpus = cpus * substr(name, 2)::int / 25, used_memory_mb = memory_mb * substr(name, 2)::int / 22, used_disk_gb = disk_gb / 4;
INSERT INTO organization (id, name, federation_id, access_list_required)
    SELECT decode('71' || lpad(to_hex(n), 22, '0'), 'hex'), 'company-' || n, decode('71' || lpad(to_hex(n), 22, '0'), 'hex'), false FROM generate_series(0, 9) n;
INSERT INTO project (id, org_id, name)
    SELECT decode('72' || lpad(to_hex(n), 22, '0'), 'hex'), decode('71' || lpad(to_hex(n % 10), 22, '0'), 'hex'), 'product-' || n FROM generate_series(0, 49) n;
INSERT INTO project_access (project_id, org_id, hash) SELECT id, org_id, 'f' || lpad(to_hex(row_number() OVER ()), 5, '0') FROM project WHERE name LIKE 'product-%';
INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version)
    SELECT decode('73' || lpad(to_hex(n), 22, '0'), 'hex'), p.org_id, p.id, (ARRAY['orders', 'billing', 'search', 'users', 'events'])[1 + n % 5] || '-' || n, 'f' || lpad(to_hex(n), 5, '0'), (ARRAY['17', '16', '15'])[1 + n % 3]
    FROM generate_series(0, 999) n JOIN project p ON p.name = 'product-' || n % 50;
INSERT INTO resource (scope, kind, id, name, org_id, document, state, generation, observed_generation)
    SELECT c.project_id, 'cluster', c.id, c.name, c.org_id, '{"clusterType": "REPLICASET", "paused": false}', CASE WHEN get_byte(c.id, 11) % 50 = 7 THEN 'UPDATING' ELSE 'IDLE' END, 1, 1
    FROM cluster c WHERE get_byte(c.id, 0) = 115;
INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb, unit, role, running, timeline, version, lag_bytes, reported_at, problem)
    SELECT decode('74' || lpad(to_hex(n * 3 + m), 22, '0'), 'hex'), c.org_id, c.id, h.id, m, 'RUNNING', (ARRAY['M10', 'M20'])[1 + n % 2], 0.5, 1024, 10, 'active',
           CASE WHEN m > 0 THEN 'REPLICA' WHEN n = 4 THEN 'NONE' ELSE 'PRIMARY' END, 'running', 1, c.major_version || CASE WHEN n % 10 = 0 THEN '.1' ELSE '.4' END, CASE WHEN m > 0 THEN n * 7919 % 5000000 END,
           now(), CASE WHEN n % 200 = 150 AND m = 1 THEN 'the disk is nearly full' END
    FROM generate_series(0, 999) n CROSS JOIN generate_series(0, 2) m JOIN cluster c ON c.id = decode('73' || lpad(to_hex(n), 22, '0'), 'hex') JOIN host h ON h.name = 'h' || 1 + (n + m * 7) % 19;
-- What is left on one host is little enough to be read.
UPDATE cluster_member SET host_id = (SELECT id FROM host WHERE name = 'h20') WHERE id IN (decode('74' || lpad('1', 22, '0'), 'hex'), decode('74' || lpad('3', 22, '0'), 'hex'), decode('74' || lpad(to_hex(65), 22, '0'), 'hex'));
INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, cipher)
    SELECT c.id, c.org_id, c.project_id, c.id, c.name, 1, c.set_name || '-1', c.major_version, '' FROM cluster c WHERE get_byte(c.id, 0) = 115;
INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, origin, state, requested_at, finished_at, told_at)
    SELECT decode('75' || lpad(to_hex(row_number() OVER ()), 22, '0'), 'hex'), c.org_id, c.project_id, c.id, c.id, 'SCHEDULED', 'PASSED', d.at, d.at, now()
    FROM cluster c CROSS JOIN LATERAL (SELECT now() - get_byte(c.id, 11) % 40 * interval '1 day' AS at) d WHERE get_byte(c.id, 0) = 115 AND get_byte(c.id, 11) % 9 > 0;
INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, state, step, step_number, step_count, try, failures, waits_for, created_at, started_at, finished_at)
    SELECT decode('{failed}', 'hex'), c.org_id, c.project_id, 'cluster.create', c.id, c.name, 'FAILED', 'wait-primary', 2, 7, 3, 3, 'no host of EU_NORTH has 1024 MiB left: add one, or free some', now() - interval '1 hour',
           now() - interval '1 hour', now() - interval '20 minutes' FROM cluster c WHERE c.name = 'orders-10';
INSERT INTO invoice (id, org_id, began_at, ends_at, status, subtotal_cents, created_at, updated_at, closed_at)
    SELECT decode('76' || lpad('1', 22, '0'), 'hex'), o.id, date_trunc('month', now()) - interval '1 month', date_trunc('month', now()), 'CLOSED', 12345, now(), now(), now() FROM organization o WHERE o.name = 'company-3';
SET session_replication_role = origin;
ANALYZE;
""".replace("{failed}", FAILED_JOB)
REPORT = """
SET session_replication_role = replica;
UPDATE host SET last_seen_at = now(), seen_version = (SELECT v.version FROM host_goal_version v WHERE v.host_id = host.id) WHERE name <> ALL (string_to_array('%s', ','));
UPDATE cluster_member m SET reported_at = now() FROM host h WHERE h.id = m.host_id AND get_byte(m.cluster_id, 0) = 115 AND m.cluster_id <> decode('73' || lpad('5', 22, '0'), 'hex') AND h.name <> ALL (string_to_array('%s', ','));
UPDATE cluster_member SET reported_at = now() - interval '1 hour' WHERE cluster_id = decode('73' || lpad('5', 22, '0'), 'hex');
"""


class Fleet:
    def __init__(self):
        self.silent, self.ended = ["h3"], threading.Event()
        self.agents = threading.Thread(target=self._report, daemon=True)

    def __enter__(self):
        sql(CLUSTERS)
        sql("UPDATE host SET last_seen_at = now() - interval '3 hours' WHERE name = 'h3'")
        self._say()
        self.agents.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.agents.join()

    def _say(self):
        names = ",".join(self.silent)
        sql(REPORT % (names, names))

    def _report(self):
        while not self.ended.wait(REPORT_S):
            self._say()

    def silence(self, host):
        self.silent.append(host)
        sql("UPDATE host SET last_seen_at = now() - interval '5 minutes' WHERE name = '%s'" % host)
        return 0

    @staticmethod
    def empty(host):
        """As if its job had moved everything away."""
        sql("SET session_replication_role = replica; UPDATE host SET state = 'DRAINED' WHERE name = '{0}'; UPDATE job SET state = 'DONE', finished_at = now() WHERE kind = 'host.drain' AND subject_name = '{0}'; "
            "DELETE FROM cluster_member WHERE host_id = (SELECT id FROM host WHERE name = '{0}')".format(host))
        return 0
