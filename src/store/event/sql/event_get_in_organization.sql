-- One event of an organization; with :outside_projects only when it belongs to none of its projects.
-- scope: organization :scope
SELECT seq, document FROM event WHERE org_id = :scope AND id = :event AND (NOT :outside_projects::boolean OR project_id IS NULL)
