-- What is asked of a project's key service: its settings, and how many members are not under its key.
-- scope: project :project
SELECT encode(r.org_id, 'hex') AS organization, encode(r.id, 'hex') AS resource, r.document::text AS document, r.revision,
       members_on_other_keys(r.scope, r.document -> 'kmip' ->> 'keyIdentifier') AS others
FROM resource r
WHERE r.scope = :project AND r.kind = 'encryptionAtRest' AND (r.document -> 'kmip' ->> 'enabled')::boolean
