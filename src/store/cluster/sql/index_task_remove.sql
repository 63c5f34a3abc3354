-- Takes back what a host was asked to do and has not said to have done.
-- scope: organization $1
DELETE FROM host_task WHERE org_id = $1 AND id = $2 AND outcome IS NULL
