-- Whether hosts of a cluster have different versions: then nobody is restarted for what one of them says that it has.
CREATE OR REPLACE FUNCTION versions_differ(p_least int, p_most int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT p_least <> p_most $$;
