-- Another key for an object store, or another certificate of whoever signs for it. Hosts are told.
-- scope: none, because object stores are the operator's
UPDATE object_store SET keys = :keys, authority = nullif(:authority, ''), object_lock = :object_lock, lock_days = nullif(:lock_days::int, 0)
WHERE name = :name RETURNING name
