-- Why the keys of an identity provider could not be fetched.
-- scope: organization $1
UPDATE identity_provider p SET keys_error = $4
FROM organization o
WHERE o.id = $1 AND p.federation_id = o.federation_id AND p.id = $2 AND p.keys_epoch = $3::bigint
