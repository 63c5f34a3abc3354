-- A token names a key that is not known: the keys of its provider are fetched before they are due, but not all the time.
-- scope: organization $1
UPDATE identity_provider p SET keys_due_at = now()
FROM organization o
WHERE o.id = $1 AND p.federation_id = o.federation_id AND p.id = $2 AND p.keys_due_at > now()
  AND (p.keys_tried_at IS NULL OR p.keys_tried_at < now() - $3::bigint * interval '1 second')
