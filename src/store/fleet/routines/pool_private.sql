-- The address of the pool as private networks know it.
CREATE OR REPLACE FUNCTION pool_private(a host_address) RETURNS inet LANGUAGE sql IMMUTABLE
    RETURN coalesce(a.private_address, a.address);
