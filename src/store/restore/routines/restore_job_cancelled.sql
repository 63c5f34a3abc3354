-- The job of a restore was given up, because its target is being deleted or an operator wants it so: then the restore is over, too, and its gate closed.
CREATE OR REPLACE FUNCTION restore_job_cancelled() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE restore_job r
    SET state = 'CANCELLED', problem = coalesce(r.problem, 'Its operation was cancelled.'), cancelled_at = coalesce(r.cancelled_at, now()), finished_at = now(),
        gate_port = NULL
    WHERE r.id = decode(NEW.payload ->> 'restoreId', 'hex') AND r.finished_at IS NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER restore_job_cancelled AFTER UPDATE OF state ON job
    FOR EACH ROW WHEN (NEW.kind = 'cluster.restore' AND NEW.state = 'CANCELLED' AND OLD.state <> 'CANCELLED') EXECUTE FUNCTION restore_job_cancelled();
