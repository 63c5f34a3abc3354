-- Alerts go along when a project moves; places are counted in the project, so they stay what they are.
CREATE OR REPLACE FUNCTION alerts_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE alert_cursor SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE alert SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE alert_notification SET org_id = NEW.org_id WHERE project_id = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER alerts_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION alerts_project_moved();
