-- A configuration that has a notification of type :type without the field :field.
-- scope: project :project
SELECT encode(r.id, 'hex') AS config FROM resource r
WHERE r.scope = :project AND r.kind = 'alertConfig'
  AND EXISTS (SELECT FROM jsonb_array_elements(r.document -> 'notifications') n WHERE n ->> 'typeName' = :type AND NOT n ? :field)
ORDER BY r.id LIMIT 1
