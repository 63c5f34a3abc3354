-- Services outlive their project until their hosts say that they are gone there: their addresses are nobody's before that.
CREATE OR REPLACE FUNCTION private_endpoint_project_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM private_endpoint_service s USING host h WHERE s.project_id = OLD.id AND h.id = s.host_id AND h.state = 'REMOVED';
    UPDATE private_endpoint_service s SET project_id = NULL, removed_at = coalesce(s.removed_at, now()) WHERE s.project_id = OLD.id;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER private_endpoint_deleted BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION private_endpoint_project_deleted();
