-- A page of the access list of a service account or API key.
-- scope: organization $1
WITH listed AS (SELECT e FROM access_list_entry e WHERE e.org_id = $1 AND e.principal_id = $4)
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT access_entry_json(page.e, $5::boolean) AS document, text((page.e).block) AS key, (page.e).block AS block
    FROM (SELECT e FROM listed ORDER BY (e).block OFFSET $2::bigint LIMIT $3::bigint) page
) p ON true
ORDER BY p.block
