-- Changes an identity provider of an organization's federation. Keys of another issuer are not its keys.
-- scope: organization :organization
UPDATE identity_provider p SET status = :status, issuer_uri = :issuer,
    domains = ARRAY(SELECT DISTINCT named.domain FROM jsonb_array_elements_text(:domains::jsonb) AS named (domain) ORDER BY 1),
    settings = :settings::jsonb, updated_at = now(), revision = nextval('revision'),
    keys = CASE WHEN p.issuer_uri = :issuer THEN p.keys END,
    keys_fetched_at = CASE WHEN p.issuer_uri = :issuer THEN p.keys_fetched_at END,
    keys_epoch = p.keys_epoch + 1, keys_due_at = now(), keys_failures = 0, keys_error = NULL
FROM organization o
WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider
