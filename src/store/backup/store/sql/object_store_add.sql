-- Adds an object store of the operator.
-- scope: none, because object stores are the operator's
INSERT INTO object_store (name, endpoint, bucket, region, path, uri_style, authority, keys, object_lock, lock_days)
VALUES (:name, :endpoint, :bucket, :region, :path, :uri_style, nullif(:authority, ''), :keys, :object_lock, nullif(:lock_days::int, 0))
ON CONFLICT DO NOTHING RETURNING name
