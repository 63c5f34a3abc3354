-- What draining a host would do now; nothing of it is done.
-- scope: none, because hosts belong to the service
SELECT host_drain_plan(:host)::text AS json
