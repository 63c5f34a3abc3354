-- A project that moves leaves the mappings of its old organization behind, as it does teams.
CREATE OR REPLACE FUNCTION role_mapping_left_behind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM role_mapping_role WHERE org_id = OLD.org_id AND project_id = OLD.id;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER role_mapping_left_behind BEFORE UPDATE OF org_id ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION role_mapping_left_behind();
