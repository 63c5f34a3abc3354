-- Nobody who changes a directory or one of its groups can forget to say so: it is asked again at once, and the answer that is under
-- way does not count. Of another directory, and of one in which people are found in another way, nothing is known: the same names may be other people.
CREATE OR REPLACE FUNCTION directory_sync_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_old jsonb := CASE WHEN TG_OP <> 'INSERT' THEN OLD.document -> 'ldap' END;
    v_new jsonb := CASE WHEN TG_OP <> 'DELETE' THEN NEW.document -> 'ldap' END;
    v_project reeve_id := CASE WHEN TG_OP = 'DELETE' THEN OLD.scope ELSE NEW.scope END;
BEGIN
    IF (CASE WHEN TG_OP = 'DELETE' THEN OLD.kind ELSE NEW.kind END) <> 'userSecurity' THEN -- a group or its roles, or a name that is taken, or free again
        IF TG_OP = 'DELETE' THEN
            DELETE FROM directory_group WHERE group_id = OLD.id;
        END IF;
        UPDATE directory_sync SET next_try_at = now(), changes = changes + 1 WHERE project_id = v_project AND next_try_at < 'infinity';
        RETURN NULL;
    END IF;
    IF coalesce(v_new -> 'authenticationEnabled' <> 'true' OR v_new -> 'authorizationEnabled' <> 'true', true) THEN
        -- Not the row itself, nor who has it: what is asked now still counts for the organization, and its answer does not count.
        UPDATE directory_sync SET next_try_at = 'infinity', changes = changes + 1, failures = 0, is_proven = false WHERE project_id = v_project;
        DELETE FROM directory_group WHERE project_id = v_project;
        RETURN NULL;
    END IF;
    INSERT INTO directory_sync AS s (project_id, org_id) SELECT p.id, p.org_id FROM project p WHERE p.id = v_project
    ON CONFLICT (project_id) DO UPDATE
    SET next_try_at = now(), changes = s.changes + 1, failures = 0, is_proven = false;
    IF v_old -> 'hostname' IS DISTINCT FROM v_new -> 'hostname' OR v_old -> 'port' IS DISTINCT FROM v_new -> 'port'
       OR v_old -> 'userToDNMapping' IS DISTINCT FROM v_new -> 'userToDNMapping'
       OR v_old -> 'authzQueryTemplate' IS DISTINCT FROM v_new -> 'authzQueryTemplate' THEN
        DELETE FROM directory_group WHERE project_id = v_project;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER directory_sync_added AFTER INSERT ON resource
    FOR EACH ROW WHEN (NEW.kind IN ('userSecurity', 'databaseUser', 'customRole'))
    EXECUTE FUNCTION directory_sync_follows();

CREATE OR REPLACE TRIGGER directory_sync_changed AFTER UPDATE OF document ON resource
    FOR EACH ROW WHEN ((NEW.kind = 'userSecurity' AND NEW.document IS DISTINCT FROM OLD.document)
                       OR (NEW.kind = 'databaseUser' AND NEW.document ->> 'ldapAuthType' = 'GROUP' AND NEW.document -> 'roles' IS DISTINCT FROM OLD.document -> 'roles'))
    EXECUTE FUNCTION directory_sync_follows();

CREATE OR REPLACE TRIGGER directory_sync_removed AFTER DELETE ON resource
    FOR EACH ROW WHEN (OLD.kind IN ('userSecurity', 'databaseUser', 'customRole'))
    EXECUTE FUNCTION directory_sync_follows();
