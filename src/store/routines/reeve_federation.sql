-- The federation of the transaction's organization.
-- before the tables: their policies call it
CREATE OR REPLACE FUNCTION reeve_federation() RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT o.federation_id::bytea FROM organization o WHERE o.id = reeve_organization()
$$;
