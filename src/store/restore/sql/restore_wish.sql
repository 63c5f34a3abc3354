-- What a restore is to bring back, and whether it could be read now from where it was going to be.
-- scope: organization :organization
SELECT encode(r.project_id, 'hex') AS project, encode(r.cluster_id, 'hex') AS cluster, r.point, encode(r.snapshot_id, 'hex') AS snapshot,
       (extract(epoch FROM r.point_at) * 1000)::bigint AS moment_ms, r.point_lsn::text AS lsn,
       coalesce((SELECT seat_is_silent(t) FROM stanza_seat t WHERE t.org_id = :organization AND t.id = r.seat_id AND t.desired <> 'REMOVED'), true) AS is_silent
FROM restore_job r WHERE r.org_id = :organization AND r.id = :restore
