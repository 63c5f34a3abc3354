-- A person by the address, in each organization that uses a provider and that they belong to; and what is to be written down about them there.
-- scope: none, because in which organizations a token counts is found out here; writing is done in each of them
SELECT encode(n.id, 'hex') AS person, encode(c.org_id, 'hex') AS organization, to_json(g.wanted)::text AS groups,
       f.org_id IS NULL OR f.provider_id <> c.provider_id OR f.external_groups <> g.wanted AS changes_roles,
       f.org_id IS NULL OR f.issued_at < to_timestamp(:issued_s::bigint) OR
       (f.issued_at = to_timestamp(:issued_s::bigint) AND (f.provider_id <> c.provider_id OR f.external_groups <> g.wanted)) AS is_news
  FROM person n
  JOIN connected_organization c ON c.provider_id = :provider::bytea
 CROSS JOIN LATERAL (SELECT ARRAY(SELECT m.external_group FROM role_mapping m
                                   WHERE m.org_id = c.org_id AND :groups::jsonb ? m.external_group ORDER BY m.external_group) AS wanted) g
  LEFT JOIN federated_member f ON f.org_id = c.org_id AND f.person_id = n.id
 WHERE lower(n.username) = lower(:address::text)
   AND EXISTS (SELECT FROM role_grant own WHERE own.principal_id = n.id AND own.org_id = c.org_id)
 ORDER BY c.org_id
