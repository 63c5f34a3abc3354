-- The authority that signs hosts, members and services.
-- scope: none, because the fleet belongs to the operator
SELECT encode(id, 'hex'), certificate, encode(key, 'hex') FROM authority WHERE purpose = 'FLEET'
