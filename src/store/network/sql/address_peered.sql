-- The network of a tenant that has one of these addresses; empty when none has.
-- scope: none, because hosts are the operator's, and networks of all tenants are looked at
SELECT coalesce(address_peered(:first::inet, :count::bigint)::text, '') AS block
