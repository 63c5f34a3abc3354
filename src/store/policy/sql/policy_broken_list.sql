-- A page of the clusters and projects of an organization that break its policies, each with the policies. A project breaks one when an entry of its access list does. One row at least: it carries the count also when the page is empty.
-- A rule that is not offered any more is broken by everything, and never evaluated.
-- scope: organization :organization
WITH rule AS MATERIALIZED (
    SELECT r.id AS policy, r.document ->> 'name' AS name, e ->> 'id' AS id, e ->> 'body' AS body, policy_unoffered(e ->> 'body') IS NOT NULL AS is_unoffered
    FROM resource r CROSS JOIN LATERAL jsonb_array_elements(r.document -> 'policies') e
    WHERE r.scope = :organization AND r.org_id = :organization AND r.kind = 'resourcePolicy'),
broken AS (
    SELECT DISTINCT CASE c.kind WHEN 'accessListEntry' THEN 'PROJECT' ELSE 'CLUSTER' END AS type,
           CASE c.kind WHEN 'accessListEntry' THEN p.id ELSE c.id END AS id,
           CASE c.kind WHEN 'accessListEntry' THEN p.name ELSE c.name END AS name,
           u.policy, u.name AS policy_name, u.id AS rule
    FROM project p
    JOIN resource c ON c.scope = p.id AND c.kind IN ('cluster', 'flexCluster', 'accessListEntry')
    CROSS JOIN rule u
    WHERE p.org_id = :organization AND CASE WHEN u.is_unoffered THEN true ELSE policy_forbids(u.body, c.document, policy_variables(c.kind, c.document)) END),
policies AS (
    SELECT type, id, name, policy, policy_name, json_agg(json_build_object('policyId', rule) ORDER BY rule) AS rules
    FROM broken GROUP BY type, id, name, policy, policy_name),
found AS (
    SELECT id, json_build_object(
               'orgId', encode(:organization, 'hex'), 'resourceId', encode(id, 'hex'), 'resourceName', name, 'resourceType', type,
               'resourcePoliciesCausingNonCompliance', json_agg(json_build_object(
                   'resourcePolicyId', encode(policy, 'hex'), 'resourcePolicyName', policy_name, 'policiesCausingNonCompliance', rules)
                   ORDER BY policy)) AS document
    FROM policies GROUP BY type, id, name)
SELECT t.total, p.document::text, encode(p.id, 'hex') AS key
FROM (SELECT count(*) AS total FROM found) t
LEFT JOIN (SELECT * FROM found ORDER BY id OFFSET :offset::bigint LIMIT :limit::bigint) p ON true
ORDER BY p.id
