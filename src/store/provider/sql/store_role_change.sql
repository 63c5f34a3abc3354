-- Another key for a role in an object store. Hosts are told.
-- scope: none, because object stores are the operator's
UPDATE store_role SET keys = :keys WHERE store = :store AND name = :name RETURNING name
