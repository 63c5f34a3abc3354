-- The place up to which a project's events were looked at, held until the transaction ends; no row when somebody else holds it.
-- scope: organization $1
SELECT project_seq FROM alert_cursor WHERE org_id = $1 AND project_id = $2 FOR UPDATE SKIP LOCKED
