-- One event of an organization; with $3 only when it belongs to none of its projects.
-- scope: organization $1
SELECT seq, document FROM event WHERE org_id = $1 AND id = $2 AND (NOT $3::boolean OR project_id IS NULL)
