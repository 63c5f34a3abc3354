-- Containers and peerings go with their project into another organization.
CREATE OR REPLACE FUNCTION network_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE network_container SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE network_peer SET org_id = NEW.org_id WHERE project_id = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER network_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION network_project_moved();
