-- A rollout with its clusters, in the transaction that changed it or without one.
-- scope: none, because rollouts belong to the operator
SELECT (fleet_update_document(f) || jsonb_build_object('clusters', (
    SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'clusterId', encode(u.cluster_id, 'hex'), 'name', u.name, 'isCanary', u.is_canary, 'state', CASE u.state WHEN 'QUEUED' THEN 'WAITING' ELSE u.state END,
        'fromVersion', u.from_version, 'toVersion', u.to_version, 'members', u.members, 'membersDone', u.members_done, 'jobId', encode(u.job_id, 'hex'),
        'waitsFor', j.waits_for, 'startedAt', api_date(u.started_at), 'finishedAt', api_date(u.finished_at), 'problem', u.problem)) ORDER BY u.position), '[]')
    FROM fleet_update_cluster u LEFT JOIN job j ON j.id = u.job_id AND j.state IN ('QUEUED', 'RUNNING') WHERE u.update_id = f.id)))::text AS document
FROM fleet_update f WHERE f.id = :update
