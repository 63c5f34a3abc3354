-- The counter of a project that was deleted is kept for a while: its events are.
CREATE OR REPLACE FUNCTION event_count_project_gone() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE event_count_of_project SET gone_at = now() WHERE project_id = OLD.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER event_count_gone AFTER DELETE ON project FOR EACH ROW EXECUTE FUNCTION event_count_project_gone();
