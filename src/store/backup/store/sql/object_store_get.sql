-- What is needed to connect to an object store; its keys are sealed.
-- scope: none, because object stores are the operator's
SELECT o.endpoint, o.bucket, o.region, o.path, o.uri_style, coalesce(o.authority, '') AS authority, encode(o.keys, 'hex') AS keys, o.object_lock
FROM object_store o WHERE o.name = :name
