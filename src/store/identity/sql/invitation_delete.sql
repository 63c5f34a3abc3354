-- Takes an invitation back; with $3 only if it grants nothing.
-- scope: organization $1
DELETE FROM invitation i
WHERE i.org_id = $1 AND i.id = $2 AND i.accepted_at IS NULL
  AND (NOT $3::boolean OR NOT EXISTS (SELECT 1 FROM invitation_role r WHERE r.org_id = $1 AND r.invitation_id = $2))
