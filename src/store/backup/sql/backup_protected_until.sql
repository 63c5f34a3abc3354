-- Until when the last of a project's snapshots is protected; NULL when none is any more.
-- scope: project :project
SELECT (extract(epoch FROM max(s.protected_until)) * 1000)::bigint AS protected_ms FROM snapshot s WHERE s.project_id = :project AND s.protected_until > now()
