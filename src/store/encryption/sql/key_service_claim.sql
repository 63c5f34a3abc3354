-- Takes the key service of a project for :lease_s seconds, when it is still free and due. When that was is written before it is asked, so that a worker that dies does not ask for ever.
-- scope: none, because the worker serves all organizations
INSERT INTO key_service_ask AS a (project_id, asked_at, lease_until) VALUES (:project, now(), now() + :lease_s::bigint * interval '1 second')
ON CONFLICT (project_id) DO UPDATE SET asked_at = now(), lease_until = excluded.lease_until, is_proven = false
WHERE (a.lease_until IS NULL OR a.lease_until < now()) AND a.asked_at <= now() - interval '5 seconds'
RETURNING encode(a.project_id, 'hex') AS project
