-- A page of the access list of a service account or API key.
-- scope: organization :organization
WITH listed AS (SELECT e FROM access_list_entry e WHERE e.org_id = :organization AND e.principal_id = :credential)
SELECT c.total, p.document, p.key
FROM (SELECT count(*) AS total FROM listed) c
LEFT JOIN LATERAL (
    SELECT access_entry_json(page.e, :is_api_key::boolean) AS document, text((page.e).block) AS key, (page.e).block AS block
    FROM (SELECT e FROM listed ORDER BY (e).block OFFSET :offset::bigint LIMIT :limit::bigint) page
) p ON true
ORDER BY p.block
