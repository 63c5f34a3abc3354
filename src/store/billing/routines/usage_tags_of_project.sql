-- Tags of a project are noted in the transaction that changes them; the rows go along when it moves.
CREATE OR REPLACE FUNCTION usage_tags_of_project() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.org_id <> NEW.org_id THEN
        UPDATE usage_tags t SET org_id = NEW.org_id WHERE t.owner_id = NEW.id;
    END IF;
    IF TG_OP = 'DELETE' THEN
        PERFORM usage_tags_become(OLD.org_id, OLD.id, NULL, false);
    ELSIF TG_OP = 'INSERT' OR OLD.settings -> 'tags' IS DISTINCT FROM NEW.settings -> 'tags' THEN
        PERFORM usage_tags_become(NEW.org_id, NEW.id, NEW.settings -> 'tags', TG_OP = 'INSERT');
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER usage_tags_follow AFTER INSERT OR DELETE OR UPDATE OF settings, org_id ON project
    FOR EACH ROW EXECUTE FUNCTION usage_tags_of_project();
