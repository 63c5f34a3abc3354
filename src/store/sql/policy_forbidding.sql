-- The first policy of an organization that forbids a document $3 of the kind $2, and the field that it is about.
-- scope: organization $1
SELECT encode(r.id, 'hex'), r.document ->> 'name',
       coalesce(policy_field(rule ->> 'body', d.document, d.variables), 'the document')
FROM (SELECT $3::jsonb AS document, policy_variables($2, $3::jsonb) AS variables) d
CROSS JOIN resource r
CROSS JOIN LATERAL jsonb_array_elements(r.document -> 'policies') rule
WHERE r.scope = $1 AND r.org_id = $1 AND r.kind = 'resourcePolicy' AND policy_forbids(rule ->> 'body', d.document, d.variables)
ORDER BY r.id LIMIT 1
