-- Adds a role in an object store. Nothing when there is one of that name, or when backups or another project's role are where it would write.
-- scope: none, because object stores are the operator's
INSERT INTO store_role (id, store, name, bucket, prefix, external_id, keys)
SELECT :role, :store, :name, :bucket, :prefix, :external::text::uuid, :keys
WHERE NOT EXISTS (SELECT FROM object_store o JOIN object_store b ON b.endpoint = o.endpoint AND b.bucket = :bucket WHERE o.name = :store)
  AND NOT EXISTS (SELECT FROM store_role r JOIN object_store o ON o.name = r.store JOIN object_store w ON w.endpoint = o.endpoint AND w.name = :store
                  WHERE r.bucket = :bucket AND r.external_id <> :external::text::uuid AND (starts_with(r.prefix, :prefix) OR starts_with(:prefix, r.prefix)))
ON CONFLICT DO NOTHING RETURNING name
