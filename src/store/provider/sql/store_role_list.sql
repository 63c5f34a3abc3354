-- Roles in an object store, with the project that each is for; one when :name is not empty.
-- scope: none, because object stores are the operator's
SELECT coalesce(json_agg(json_strip_nulls(json_build_object(
           'name', s.name, 'store', s.store, 'arn', store_role_arn(s), 'bucket', s.bucket, 'prefix', s.prefix, 'externalId', s.external_id,
           'projectId', encode(p.scope, 'hex'), 'roleId', p.name, 'isAuthorized', p.document -> 'internal' ->> 'storeRole' IS NOT DISTINCT FROM encode(s.id, 'hex'),
           'createdAt', api_date(s.created_at))) ORDER BY s.name), '[]')::text AS json
FROM store_role s LEFT JOIN resource p ON p.kind = 'providerRole' AND p.document ->> 'serviceAssumedRoleExternalId' = s.external_id::text
WHERE s.store = :store AND (:name = '' OR s.name = :name)
