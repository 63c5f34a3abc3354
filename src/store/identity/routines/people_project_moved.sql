-- When a project moves, invitations of the old organization lose their roles in it (and go when nothing is left of them), and
-- its limits go along. A trigger, so that project_move() need not know of these tables.
CREATE OR REPLACE FUNCTION people_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    WITH emptied AS (DELETE FROM invitation_role r WHERE r.project_id = NEW.id RETURNING r.invitation_id)
    DELETE FROM invitation i USING emptied e
    WHERE i.id = e.invitation_id AND i.accepted_at IS NULL
      AND NOT EXISTS (SELECT FROM invitation_role o
                      WHERE o.invitation_id = i.id AND o.project_id IS DISTINCT FROM NEW.id);
    UPDATE project_limit SET org_id = NEW.org_id WHERE project_id = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER people_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION people_project_moved();
