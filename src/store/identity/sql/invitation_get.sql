-- One open invitation as the API shows it; with :project only when it grants a role in that project.
-- scope: organization :organization
SELECT d.document, text_revision(d.document) AS revision
FROM invitation i, LATERAL (SELECT invitation_json(:organization, i.id, :project::bytea) AS document) d
WHERE i.org_id = :organization AND i.id = :member AND i.accepted_at IS NULL
  AND (:project::bytea IS NULL OR EXISTS (SELECT 1 FROM invitation_role r
                                    WHERE r.org_id = :organization AND r.invitation_id = i.id AND r.project_id = :project::bytea))
