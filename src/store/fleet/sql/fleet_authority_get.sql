-- The authority that signs hosts, members and services.
-- scope: none, because the fleet belongs to the operator
SELECT encode(id, 'hex') AS id, certificate, encode(key, 'hex') AS key FROM authority WHERE purpose = 'FLEET'
