-- What hosts keep of a project goes with it.
CREATE OR REPLACE FUNCTION fleet_project_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM project_access WHERE project_id = OLD.id;
    DELETE FROM certificate c USING authority a WHERE a.project_id = OLD.id AND c.authority = a.id;
    DELETE FROM authority WHERE project_id = OLD.id;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER fleet_deleted BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION fleet_project_deleted();
