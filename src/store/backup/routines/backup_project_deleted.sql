-- With a project go the backups that outlived its clusters: their hosts remove them, and what is known of them goes when they have. What is known of exports goes at
-- once: nobody can be told any more what came of one.
CREATE OR REPLACE FUNCTION backup_project_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE backup_stanza s SET state = 'REMOVING', frozen_at = coalesce(s.frozen_at, now()) WHERE s.project_id = OLD.id;
    UPDATE stanza_seat t SET desired = 'REMOVED' FROM backup_stanza s WHERE s.project_id = OLD.id AND t.stanza_id = s.id;
    DELETE FROM export_job x WHERE x.project_id = OLD.id;
    RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER backup_deleted BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION backup_project_deleted();
