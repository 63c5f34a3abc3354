-- What hosts keep of a project goes with it into another organization.
CREATE OR REPLACE FUNCTION fleet_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE dns_record d SET org_id = NEW.org_id FROM cluster c WHERE c.project_id = NEW.id AND d.cluster_id = c.id;
    UPDATE host_task t SET org_id = NEW.org_id
        FROM cluster c JOIN cluster_member m ON m.cluster_id = c.id WHERE c.project_id = NEW.id AND t.member_id = m.id;
    UPDATE cluster_member m SET org_id = NEW.org_id FROM cluster c WHERE c.project_id = NEW.id AND m.cluster_id = c.id;
    UPDATE cluster SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE project_access SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE authority SET org_id = NEW.org_id WHERE project_id = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER fleet_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION fleet_project_moved();
