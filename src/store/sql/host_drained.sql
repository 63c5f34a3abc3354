-- Notes that a host which was to be emptied has no members any more.
-- scope: none, because hosts belong to the service
UPDATE host SET state = 'DRAINED' WHERE id = $1 AND state = 'DRAINING' AND NOT EXISTS (SELECT FROM cluster_member m WHERE m.host_id = $1)
