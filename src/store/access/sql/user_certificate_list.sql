-- A page of the certificates of a database user that are good, oldest first. No row when the project has no such user.
-- scope: project :project
WITH listed AS (
    SELECT c.serial, c.created_at, c.not_after FROM certificate c JOIN authority a ON a.id = c.authority
    WHERE a.project_id = :project AND c.kind = 'USER' AND c.owner = :owner AND c.revoked_at IS NULL AND c.not_after > now())
SELECT n.total, p.document, p.serial AS key
FROM (SELECT count(*) AS total FROM listed) n
LEFT JOIN LATERAL (
    SELECT json_build_object('serialNumber', l.serial, 'subject', :username::text, 'groupId', encode(:project::bytea, 'hex'),
                             'createdAt', api_date(l.created_at), 'notAfter', api_date(l.not_after))::text AS document, l.serial, l.created_at
    FROM (SELECT * FROM listed ORDER BY created_at, serial OFFSET :offset::bigint LIMIT :limit::bigint) l
) p ON true
WHERE EXISTS (SELECT FROM resource u WHERE u.scope = :project AND u.kind = 'databaseUser' AND u.name = :username::text)
ORDER BY p.created_at, p.serial
