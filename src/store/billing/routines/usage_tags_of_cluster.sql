-- Tags of a cluster are noted in the transaction that changes them; the rows go along when its project moves.
CREATE OR REPLACE FUNCTION usage_tags_of_cluster() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.org_id <> NEW.org_id THEN
        UPDATE usage_tags t SET org_id = NEW.org_id WHERE t.owner_id = NEW.id;
    END IF;
    IF TG_OP = 'DELETE' THEN
        PERFORM usage_tags_become(OLD.org_id, OLD.id, NULL, false);
    ELSIF TG_OP = 'INSERT' OR OLD.document -> 'tags' IS DISTINCT FROM NEW.document -> 'tags' THEN
        PERFORM usage_tags_become(NEW.org_id, NEW.id, NEW.document -> 'tags', TG_OP = 'INSERT');
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER usage_tags_begin AFTER INSERT ON resource
    FOR EACH ROW WHEN (NEW.kind IN ('cluster', 'flexCluster')) EXECUTE FUNCTION usage_tags_of_cluster();
CREATE OR REPLACE TRIGGER usage_tags_follow AFTER UPDATE OF document, org_id ON resource
    FOR EACH ROW WHEN (NEW.kind IN ('cluster', 'flexCluster')) EXECUTE FUNCTION usage_tags_of_cluster();
CREATE OR REPLACE TRIGGER usage_tags_end AFTER DELETE ON resource
    FOR EACH ROW WHEN (OLD.kind IN ('cluster', 'flexCluster')) EXECUTE FUNCTION usage_tags_of_cluster();
