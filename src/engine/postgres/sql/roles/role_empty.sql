-- Gives what the role owns in the current database to whom the database belongs, and revokes what the role was granted.
DO $$
DECLARE
    gone  text := current_setting('reeve.role');
    owner text;
BEGIN
    SELECT pg_get_userbyid(datdba) INTO owner FROM pg_database WHERE datname = current_database();
    IF owner = gone THEN
        owner := current_setting('reeve.owner');
    END IF;
    EXECUTE format('REASSIGN OWNED BY %I TO %I', gone, owner);
    EXECUTE format('DROP OWNED BY %I', gone);
END $$
