-- A project that moves to another organization leaves the teams of the old one behind. Before the move, because the
-- references above would not let it go.
CREATE OR REPLACE FUNCTION team_grant_left_behind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM team_grant WHERE org_id = OLD.org_id AND project_id = OLD.id;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER team_grant_left_behind BEFORE UPDATE OF org_id ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION team_grant_left_behind();
