-- A configuration that has a notification of type $2 without the field $3.
-- scope: project $1
SELECT encode(r.id, 'hex') FROM resource r
WHERE r.scope = $1 AND r.kind = 'alertConfig'
  AND EXISTS (SELECT FROM jsonb_array_elements(r.document -> 'notifications') n WHERE n ->> 'typeName' = $2 AND NOT n ? $3)
ORDER BY r.id LIMIT 1
