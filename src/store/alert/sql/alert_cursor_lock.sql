-- The place up to which a project's events were looked at, held until the transaction ends; no row when somebody else holds it.
-- scope: organization :organization
SELECT project_seq FROM alert_cursor WHERE org_id = :organization AND project_id = :project FOR UPDATE SKIP LOCKED
