-- Takes the fetching of an identity provider's keys upon oneself. When the next try is due is written before this one begins.
-- scope: organization :organization
UPDATE identity_provider p SET keys_tried_at = now(), keys_failures = p.keys_failures + 1,
    keys_due_at = now() + backoff(p.keys_failures, 15 * 1000, 15 * 60 * 1000)
FROM organization o
WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider AND p.keys_due_at <= now()
  AND p.protocol = 'OIDC' AND p.status = 'ACTIVE'
RETURNING p.issuer_uri, p.keys_epoch, encode(p.federation_id, 'hex') AS federation
