-- Everything that decides about tokens that a service account trusts: their providers, with their keys, and whom each is to name.
-- scope: principal :account
SELECT json_agg(identity_provider_facts(p)::jsonb || jsonb_build_object('subject', t.subject) ORDER BY p.id, t.subject)::text AS providers
  FROM trusted_program t JOIN identity_provider p ON p.id = t.provider_id
 WHERE t.account_id = :account AND p.status = 'ACTIVE'
