-- A project leaves one list and enters another. The lists are locked in the order of their ids.
CREATE OR REPLACE FUNCTION list_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF OLD.org_id < NEW.org_id THEN
        PERFORM list_change(OLD.org_id, 'project', ARRAY[OLD.id::bytea], -1);
    END IF;
    PERFORM list_change(NEW.org_id, 'project', ARRAY[NEW.id::bytea], 1);
    IF OLD.org_id > NEW.org_id THEN
        PERFORM list_change(OLD.org_id, 'project', ARRAY[OLD.id::bytea], -1);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER list_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION list_project_moved();
