-- The organization that the transaction acts for; NULL for none.
-- before the tables: their policies call it
CREATE OR REPLACE FUNCTION reeve_organization() RETURNS bytea LANGUAGE sql STABLE
    AS $$ SELECT decode(current_setting('reeve.organization', true), 'hex') $$;
