-- Changes an identity provider of an organization's federation. Keys and pages of another issuer are not its own. Sessions go on when only labels change, or the type is written down, which is never another; those that ended
-- do not come back when the change is taken back. The clock is asked, because the transaction may have waited for the lock since it began.
-- scope: organization :organization
UPDATE identity_provider p SET status = :status, issuer_uri = :issuer, domains = n.domains, settings = :settings::jsonb, updated_at = now(), revision = nextval('revision'),
    keys = CASE WHEN p.issuer_uri = :issuer THEN p.keys END,
    pages = CASE WHEN p.issuer_uri = :issuer THEN p.pages END,
    sessions_from = CASE WHEN p.issuer_uri <> :issuer OR p.status <> :status OR p.domains <> n.domains
                              OR p.settings - '{displayName,description,idpType}'::text[] <> :settings::jsonb - '{displayName,description,idpType}'::text[]
                         THEN clock_timestamp() ELSE p.sessions_from END,
    keys_fetched_at = CASE WHEN p.issuer_uri = :issuer THEN p.keys_fetched_at END,
    keys_epoch = p.keys_epoch + 1, keys_due_at = now(), keys_failures = 0, keys_error = NULL
FROM organization o, (SELECT ARRAY(SELECT DISTINCT named.domain FROM jsonb_array_elements_text(:domains::jsonb) AS named (domain) ORDER BY 1) AS domains) n
WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider
