-- Whether the transaction acts for this organization, or for the service itself.
-- before the tables: their policies call it
CREATE OR REPLACE FUNCTION reeve_acts_for(p_org bytea) RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT coalesce(reeve_is_service() OR p_org = reeve_organization(), false) $$;
