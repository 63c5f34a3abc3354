-- Everything that decides what one principal may do, in one row: by its id, or (when that is null) by the public key :public_key.
-- scope: principal :id
SELECT encode(p.id, 'hex') AS id,
       p.kind,
       encode(p.org_id, 'hex') AS organization,
       p.generation,
       coalesce(o.access_list_required, false) AS list_required,
       CASE p.kind WHEN 'service_account' THEN 'reeve_sa_' || encode(p.id, 'hex')
                   WHEN 'api_key' THEN k.public_key
                   ELSE n.username END AS name,
       (SELECT string_agg(encode(g.org_id, 'hex') || coalesce(encode(g.project_id, 'hex'), '') || ':' || g.role, ','
                          ORDER BY g.org_id, g.project_id)
          FROM held_grant g -- those of its teams as well
         WHERE g.principal_id = p.id) AS grants,
       -- Those of its organizations whose people sign in with a provider of the organization's own, each with the provider.
       (SELECT string_agg(encode(c.org_id, 'hex') || encode(c.provider_id, 'hex'), ',' ORDER BY c.org_id)
          FROM connected_organization c
         WHERE p.kind = 'person' AND c.provider_id IS NOT NULL
           AND EXISTS (SELECT FROM role_grant own WHERE own.principal_id = p.id AND own.org_id = c.org_id)) AS federated,
       (SELECT string_agg(a.block::text, ',')
          FROM access_list_entry a
         WHERE a.principal_id = p.id) AS blocks,
       (SELECT string_agg(encode(r.fingerprint, 'hex'), '' ORDER BY r.fingerprint)
          FROM revoked_token r
         WHERE r.principal_id = p.id AND r.expires_at > now()) AS revoked,
       encode(k.ha1_md5, 'hex') AS ha1_md5,
       encode(k.ha1_sha256, 'hex') AS ha1_sha256,
       d.version AS key_version,
       encode(d.sealed, 'hex') AS key_sealed
  FROM principal p
  LEFT JOIN organization o ON o.id = p.org_id
  LEFT JOIN person n ON n.id = p.id
  LEFT JOIN api_key k ON k.id = p.id
  -- The first byte of a sealed value is the version of the data key that sealed it.
  LEFT JOIN data_key d ON d.org_id = k.org_id AND d.version = get_byte(k.ha1_md5, 0)
 WHERE p.id = coalesce(:id::bytea, (SELECT named.id::bytea FROM api_key named WHERE named.public_key = :public_key::text));
