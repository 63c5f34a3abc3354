-- Removes some sets of tags that were replaced long ago: the hours in which they were in force have been billed.
-- scope: none, because the service sweeps those of all organizations
DELETE FROM usage_tags WHERE (owner_id, valid_from) IN (
    SELECT t.owner_id, t.valid_from FROM usage_tags t WHERE t.replaced_at < now() - interval '100 days' LIMIT :limit::bigint)
RETURNING valid_from
