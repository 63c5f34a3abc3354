-- When a project is deleted, whoever was invited to it only is not invited any more; else an empty invitation would be left,
-- which makes a member of the organization.
CREATE OR REPLACE FUNCTION people_project_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM invitation i
    WHERE i.accepted_at IS NULL
      AND EXISTS (SELECT FROM invitation_role r WHERE r.invitation_id = i.id AND r.project_id = OLD.id)
      AND NOT EXISTS (SELECT FROM invitation_role r WHERE r.invitation_id = i.id AND r.project_id IS DISTINCT FROM OLD.id);
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER people_deleted BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION people_project_deleted();
