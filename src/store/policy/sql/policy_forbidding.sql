-- The first policy of an organization that forbids one of the documents in the array :documents, all of the kind :kind, and the field that it is about. A rule that
-- is not offered any more forbids everything, and is never evaluated: what nobody looked at lets nothing through.
-- scope: organization :organization
WITH rules AS MATERIALIZED (
    SELECT r.id AS policy, r.document ->> 'name' AS name, e ->> 'body' AS body, policy_unoffered(e ->> 'body') AS unoffered
    FROM resource r CROSS JOIN LATERAL jsonb_array_elements(r.document -> 'policies') e
    WHERE r.scope = :organization AND r.org_id = :organization AND r.kind = 'resourcePolicy')
SELECT encode(u.policy, 'hex') AS policy, u.name,
       CASE WHEN u.unoffered IS NULL THEN coalesce(policy_field(u.body, d.document, d.variables), 'the document')
            ELSE 'the rule itself, which has to be written anew: ' || u.unoffered END AS field
FROM rules u
CROSS JOIN (
    SELECT a.place, a.document, policy_variables(:kind, a.document) AS variables
    FROM jsonb_array_elements(:documents::jsonb) WITH ORDINALITY a(document, place) OFFSET 0) d
WHERE CASE WHEN u.unoffered IS NOT NULL THEN true ELSE policy_forbids(u.body, d.document, d.variables) END
ORDER BY d.place, u.policy LIMIT 1
