-- A token names a key that is not known: the keys of its provider are fetched before they are due, but not all the time.
-- scope: organization :organization
UPDATE identity_provider p SET keys_due_at = now()
FROM organization o
WHERE o.id = :organization AND p.federation_id = o.federation_id AND p.id = :provider AND p.keys_due_at > now()
  AND (p.keys_tried_at IS NULL OR p.keys_tried_at < now() - :not_within_s::bigint * interval '1 second')
