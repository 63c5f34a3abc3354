-- One member of an organization, active or invited, as the API shows it; with :project only when there is a role in that project.
-- scope: organization :organization
SELECT d.document, text_revision(d.document) AS revision, m.status
FROM member m, LATERAL (SELECT member_json(:organization, m.id, :project::bytea) AS document) d
WHERE m.org_id = :organization AND m.id = :member
  AND (:project::bytea IS NULL
       OR EXISTS (SELECT 1 FROM member_role r WHERE r.org_id = :organization AND r.id = m.id AND r.project_id = :project::bytea))
