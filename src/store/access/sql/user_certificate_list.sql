-- A page of the certificates of a database user that are good, oldest first. No row when the project has no such user.
-- scope: project $1
WITH listed AS (
    SELECT c.serial, c.created_at, c.not_after FROM certificate c JOIN authority a ON a.id = c.authority
    WHERE a.project_id = $1 AND c.kind = 'USER' AND c.owner = $2 AND c.revoked_at IS NULL AND c.not_after > now())
SELECT n.total, p.document, p.serial
FROM (SELECT count(*) AS total FROM listed) n
LEFT JOIN LATERAL (
    SELECT json_build_object('serialNumber', l.serial, 'subject', $5::text, 'groupId', encode($1::bytea, 'hex'),
                             'createdAt', api_date(l.created_at), 'notAfter', api_date(l.not_after))::text AS document, l.serial, l.created_at
    FROM (SELECT * FROM listed ORDER BY created_at, serial OFFSET $3::bigint LIMIT $4::bigint) l
) p ON true
WHERE EXISTS (SELECT FROM resource u WHERE u.scope = $1 AND u.kind = 'databaseUser' AND u.name = $5::text)
ORDER BY p.created_at, p.serial
