-- Why the keys of an identity provider could not be fetched.
-- scope: organization :organization
UPDATE identity_provider p SET keys_error = :why
FROM organization o
WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider AND p.keys_epoch = :epoch::bigint
