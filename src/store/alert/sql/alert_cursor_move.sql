-- Records that a project's events were looked at up to a place.
-- scope: organization :organization
UPDATE alert_cursor SET project_seq = :seq::bigint WHERE org_id = :organization AND project_id = :project
