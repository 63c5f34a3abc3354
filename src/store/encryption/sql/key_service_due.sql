-- Key services of projects that were not asked for a while, those first that wait longest.
-- scope: none, because the worker looks for those of all organizations and writes each in a transaction of its own
SELECT encode(r.org_id, 'hex') AS organization, encode(r.scope, 'hex') AS project, encode(r.id, 'hex') AS resource, r.document::text AS document, r.revision,
       members_on_other_keys(r.scope, r.document -> 'kmip' ->> 'keyIdentifier') AS others
FROM resource r
WHERE r.kind = 'encryptionAtRest' AND (r.document -> 'kmip' ->> 'enabled')::boolean
  AND (r.document -> 'kmip' ->> 'checkedAt' IS NULL OR (r.document -> 'kmip' ->> 'checkedAt') COLLATE "C" <= api_date(now() - interval '30 seconds'))
ORDER BY (r.document -> 'kmip' ->> 'checkedAt') COLLATE "C" NULLS FIRST, r.scope LIMIT :limit
