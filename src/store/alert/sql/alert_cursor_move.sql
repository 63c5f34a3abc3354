-- Records that a project's events were looked at up to a place.
-- scope: organization $1
UPDATE alert_cursor SET project_seq = $3::bigint WHERE org_id = $1 AND project_id = $2
