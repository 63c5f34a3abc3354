-- When each sweep last succeeded, in seconds from now, and what went wrong last.
-- scope: none, because sweeps belong to the service
SELECT name, coalesce(extract(epoch FROM now() - succeeded_at), -1)::bigint AS age_s, problem FROM sweep ORDER BY name
