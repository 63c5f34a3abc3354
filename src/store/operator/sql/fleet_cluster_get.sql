-- The cluster that :cluster names: its id, its name, PROJECT/NAME or ORGANIZATION/PROJECT/NAME; with its members and the jobs that are open about it. The number of clusters that it could
-- be is there, too: a name that several have names none of them.
-- scope: none, because operators look after all organizations
WITH meant AS MATERIALIZED (
    SELECT f, f.id, f.set_name, f.host_label, f.organization || '/' || f.project || '/' || f.name AS whole FROM fleet_cluster f
    WHERE f.name = :cluster OR f.project || '/' || f.name = :cluster OR f.organization || '/' || f.project || '/' || f.name = :cluster OR encode(f.id, 'hex') = :cluster
    ORDER BY f.id LIMIT 100)
SELECT n.matches, n.choices, (fleet_cluster_json(k.f) || jsonb_build_object(
    'memberList', (SELECT coalesce(jsonb_agg(jsonb_build_object('name', member_name(k.set_name, k.host_label, m.ordinal), 'host', h.name, 'zone', h.zone, 'role', m.role, 'desired', m.desired, 'unit', m.unit,
                                                                'running', m.running, 'size', m.size, 'lagBytes', m.lag_bytes, 'version', m.version, 'problem', m.problem,
                                                                'address', (SELECT host(a.address) FROM host_address a WHERE a.member_id = m.id),
                                                                'reportedAt', api_date(m.reported_at)) ORDER BY m.ordinal), '[]')
                   FROM cluster_member m JOIN host h ON h.id = m.host_id WHERE m.cluster_id = k.id),
    'jobList', (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', j.kind, 'state', j.state, 'currentStep', j.step, 'waitsFor', j.waits_for, 'createdAt', api_date(j.created_at),
                                                             'id', encode(j.id, 'hex')) ORDER BY j.seq), '[]')
                FROM job j WHERE j.subject = k.id AND j.state IN ('QUEUED', 'RUNNING', 'FAILED'))))::text AS document
FROM (SELECT count(*) AS matches, string_agg(m.whole || ' (' || encode(m.id, 'hex') || ')', ', ' ORDER BY m.whole, m.id) AS choices FROM meant m) n
LEFT JOIN meant k ON n.matches = 1
