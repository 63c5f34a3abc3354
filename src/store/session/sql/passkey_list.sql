-- The passkeys of a person, oldest first, and since when they have a password.
-- scope: principal :person
SELECT coalesce((SELECT jsonb_agg(jsonb_build_object('passkeyId', encode(k.id, 'hex'), 'credentialId', translate(encode(k.credential, 'base64'), E'+/=\n', '-_'), 'name', k.name, 'createdAt', api_date(k.created_at), 'usedAt', api_date(k.used_at))
                                  ORDER BY k.created_at, k.id)
                   FROM passkey k WHERE k.person_id = :person), '[]')::text AS list,
       (SELECT api_date(w.changed_at) FROM password w WHERE w.person_id = :person) AS changed
