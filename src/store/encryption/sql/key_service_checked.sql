-- What was found out about a project's key service, if its settings are those that were asked about.
-- scope: project :project
UPDATE resource r SET document = jsonb_set(r.document, '{kmip}', ((r.document -> 'kmip') - 'problem') || :state::jsonb || jsonb_build_object('checkedAt', api_date(now())))
WHERE r.scope = :project AND r.kind = 'encryptionAtRest' AND r.id = :resource AND r.revision = :revision
RETURNING r.revision
