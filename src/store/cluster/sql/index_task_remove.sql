-- Takes back what a host was asked to do and has not said to have done.
-- scope: organization :organization
DELETE FROM host_task WHERE org_id = :organization AND id = :task AND outcome IS NULL
