-- When a project moves, its jobs go along: whoever works on one finds that the lease is lost, and begins its step again.
CREATE OR REPLACE FUNCTION job_project_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE job_history h SET org_id = NEW.org_id FROM job j WHERE j.project_id = NEW.id AND h.job_id = j.id;
    UPDATE job SET org_id = NEW.org_id, lease_epoch = lease_epoch + 1, lease_until = NULL WHERE project_id = NEW.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER job_moved AFTER UPDATE ON project
    FOR EACH ROW WHEN (OLD.org_id IS DISTINCT FROM NEW.org_id) EXECUTE FUNCTION job_project_moved();
