-- The roles that an invitation grants.
-- scope: organization $1
SELECT encode(r.project_id, 'hex'), r.role FROM invitation_role r
WHERE r.org_id = $1 AND r.invitation_id = $2 ORDER BY r.project_id NULLS FIRST, r.role
