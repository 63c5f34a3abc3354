-- Backups of a project go with it into another organization.
CREATE OR REPLACE FUNCTION backup_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE snapshot_copy c SET org_id = NEW.org_id FROM snapshot s WHERE s.project_id = NEW.id AND c.snapshot_id = s.id;
    UPDATE drill SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE export_job SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE snapshot SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE wal_span w SET org_id = NEW.org_id
        FROM backup_stanza s JOIN stanza_seat t ON t.stanza_id = s.id WHERE s.project_id = NEW.id AND w.seat_id = t.id;
    UPDATE stanza_seat t SET org_id = NEW.org_id FROM backup_stanza s WHERE s.project_id = NEW.id AND t.stanza_id = s.id;
    UPDATE restore_member m SET org_id = NEW.org_id FROM restore_job r WHERE r.project_id = NEW.id AND m.restore_id = r.id;
    UPDATE download d SET org_id = NEW.org_id FROM restore_job r WHERE r.project_id = NEW.id AND d.restore_id = r.id;
    UPDATE restore_job SET org_id = NEW.org_id WHERE project_id = NEW.id;
    UPDATE backup_stanza SET org_id = NEW.org_id WHERE project_id = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER backup_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION backup_project_moved();
