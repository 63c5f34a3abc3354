-- The API refuses it before, with a reason; this holds whoever comes another way.
CREATE OR REPLACE FUNCTION clusters_project_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF EXISTS (SELECT FROM cluster WHERE project_id = OLD.id) THEN
        RAISE EXCEPTION 'project % still has clusters', encode(OLD.id, 'hex') USING ERRCODE = 'foreign_key_violation';
    END IF;
    DELETE FROM job WHERE project_id = OLD.id;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER clusters_deleted BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION clusters_project_deleted();
