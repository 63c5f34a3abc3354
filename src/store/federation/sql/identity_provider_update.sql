-- Changes an identity provider of an organization's federation. Keys of another issuer are not its keys.
-- scope: organization $1
UPDATE identity_provider p SET status = $3, issuer_uri = $4,
    domains = ARRAY(SELECT DISTINCT named.domain FROM jsonb_array_elements_text($5::jsonb) AS named (domain) ORDER BY 1),
    settings = $6::jsonb, updated_at = now(), revision = nextval('revision'),
    keys = CASE WHEN p.issuer_uri = $4 THEN p.keys END,
    keys_fetched_at = CASE WHEN p.issuer_uri = $4 THEN p.keys_fetched_at END,
    keys_epoch = p.keys_epoch + 1, keys_due_at = now(), keys_failures = 0, keys_error = NULL
FROM organization o
WHERE o.id = $1 AND p.federation_id = o.federation_id AND p.id = $2
