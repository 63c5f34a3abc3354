-- A role in an object store, with what is needed to connect to the store; its keys are sealed.
-- scope: none, because object stores are the operator's
SELECT encode(s.id, 'hex') AS role, s.bucket, s.prefix, encode(s.keys, 'hex') AS keys, o.endpoint, o.region, coalesce(o.authority, '') AS authority
FROM store_role s JOIN object_store o ON o.name = s.store WHERE s.store = :store AND s.name = :name
