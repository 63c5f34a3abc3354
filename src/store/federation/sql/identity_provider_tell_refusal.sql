-- Whether the organizations that use an identity provider are to be told now that an answer of it was refused: not more often than every ten minutes.
-- scope: organization :organization
UPDATE identity_provider p SET refusal_told_at = now()
FROM organization o
WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider
  AND (p.refusal_told_at IS NULL OR p.refusal_told_at < now() - interval '10 minutes')
RETURNING encode(p.id, 'hex') AS provider
