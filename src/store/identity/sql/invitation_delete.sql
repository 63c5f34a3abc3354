-- Takes an invitation back; with :only_when_empty only if it grants nothing.
-- scope: organization :organization
DELETE FROM invitation i
WHERE i.org_id = :organization AND i.id = :invitation AND i.accepted_at IS NULL
  AND (NOT :only_when_empty::boolean OR NOT EXISTS (SELECT 1 FROM invitation_role r WHERE r.org_id = :organization AND r.invitation_id = :invitation))
