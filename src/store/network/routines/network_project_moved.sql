-- Containers, peerings and private endpoints go with their project into another organization.
CREATE OR REPLACE FUNCTION network_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE network_container SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE network_peer SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE private_endpoint_service SET org_id = NEW.org_id WHERE project_id = NEW.id; -- before what it has: reports of hosts lock them in this order
    UPDATE private_endpoint SET org_id = NEW.org_id WHERE service_id IN (SELECT s.id FROM private_endpoint_service s WHERE s.project_id = NEW.id);
    UPDATE private_endpoint_port SET org_id = NEW.org_id WHERE service_id IN (SELECT s.id FROM private_endpoint_service s WHERE s.project_id = NEW.id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER network_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION network_project_moved();
