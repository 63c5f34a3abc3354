-- The roles that an invitation grants.
-- scope: organization :organization
SELECT encode(r.project_id, 'hex') AS project, r.role FROM invitation_role r
WHERE r.org_id = :organization AND r.invitation_id = :invitation ORDER BY r.project_id NULLS FIRST, r.role
