-- What nodes of versions before this one add in the meantime.
CREATE OR REPLACE FUNCTION job_of_nobody() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.org_id := NULL;
    IF TG_TABLE_NAME = 'job' THEN
        NEW.project_id := NULL;
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER job_of_nobody BEFORE INSERT ON job
    FOR EACH ROW WHEN (NEW.org_id = '\x000000000000000000000000') EXECUTE FUNCTION job_of_nobody();

CREATE OR REPLACE TRIGGER job_history_of_nobody BEFORE INSERT ON job_history
    FOR EACH ROW WHEN (NEW.org_id = '\x000000000000000000000000') EXECUTE FUNCTION job_of_nobody();
