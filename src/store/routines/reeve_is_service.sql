-- Whether the transaction acts for the service itself, which a setting of its own says.
-- Nodes of versions before it name the organization of twelve zero bytes and do not know the setting. Those that know it
-- always set it, so for them the zeros are an organization like any other.
-- before the tables: their policies call it
CREATE OR REPLACE FUNCTION reeve_is_service() RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT CASE coalesce(current_setting('reeve.service', true), '')
                     WHEN '' THEN current_setting('reeve.organization', true) = '000000000000000000000000'
                     ELSE current_setting('reeve.service', true) = 'on' END $$;
