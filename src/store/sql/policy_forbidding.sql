-- The first policy of an organization that forbids a document $3 of the kind $2, and the field that it is about. A rule that is not offered any
-- more forbids everything, and is never evaluated: what nobody looked at lets nothing through.
-- scope: organization $1
SELECT encode(u.policy, 'hex'), u.name,
       CASE WHEN u.unoffered IS NULL THEN coalesce(policy_field(u.body, d.document, d.variables), 'the document')
            ELSE 'the rule itself, which has to be written anew: ' || u.unoffered END
FROM (SELECT $3::jsonb AS document, policy_variables($2, $3::jsonb) AS variables) d
CROSS JOIN (
    SELECT r.id AS policy, r.document ->> 'name' AS name, e ->> 'body' AS body, policy_unoffered(e ->> 'body') AS unoffered
    FROM resource r CROSS JOIN LATERAL jsonb_array_elements(r.document -> 'policies') e
    WHERE r.scope = $1 AND r.org_id = $1 AND r.kind = 'resourcePolicy' OFFSET 0) u
WHERE CASE WHEN u.unoffered IS NOT NULL THEN true ELSE policy_forbids(u.body, d.document, d.variables) END
ORDER BY u.policy LIMIT 1
