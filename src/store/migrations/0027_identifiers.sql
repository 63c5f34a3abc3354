-- No identifier means "none": what is missing is NULL, and what is the service's is said by a setting of its own.

-- Nodes of versions before this one name the organization of twelve zero bytes and do not know the setting. Those that know it
-- always set it, so for them the zeros are an organization like any other.
CREATE OR REPLACE FUNCTION reeve_is_service() RETURNS boolean LANGUAGE sql STABLE
    AS $$ SELECT CASE coalesce(current_setting('reeve.service', true), '')
                     WHEN '' THEN current_setting('reeve.organization', true) = '000000000000000000000000'
                     ELSE current_setting('reeve.service', true) = 'on' END $$;

DROP POLICY operator ON federation_domain;
CREATE POLICY service ON federation_domain TO reeve_tenant USING (reeve_is_service());

-- ---- Jobs about hosts belong to no organization ----
ALTER TABLE job ALTER COLUMN org_id DROP NOT NULL, ALTER COLUMN project_id DROP NOT NULL;
ALTER TABLE job_history ALTER COLUMN org_id DROP NOT NULL;
UPDATE job SET org_id = NULL, project_id = NULL WHERE org_id = '\x000000000000000000000000';
UPDATE job_history SET org_id = NULL WHERE org_id = '\x000000000000000000000000';
CREATE POLICY service ON job TO reeve_tenant USING (org_id IS NULL AND reeve_is_service());
CREATE POLICY service ON job_history TO reeve_tenant USING (org_id IS NULL AND reeve_is_service());

-- What nodes of versions before this one add in the meantime.
CREATE FUNCTION job_of_nobody() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.org_id := NULL;
    IF TG_TABLE_NAME = 'job' THEN
        NEW.project_id := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER job_of_nobody BEFORE INSERT ON job
    FOR EACH ROW WHEN (NEW.org_id = '\x000000000000000000000000') EXECUTE FUNCTION job_of_nobody();
CREATE TRIGGER job_history_of_nobody BEFORE INSERT ON job_history
    FOR EACH ROW WHEN (NEW.org_id = '\x000000000000000000000000') EXECUTE FUNCTION job_of_nobody();

-- ---- A role of projects is held in a project ----
-- Without one it counted in every project of the organization, and no project listed who held it.
DELETE FROM role_grant WHERE project_id IS NULL AND role LIKE 'GROUP\_%';
ALTER TABLE role_grant ADD CONSTRAINT role_grant_has_project CHECK (project_id IS NOT NULL OR role NOT LIKE 'GROUP\_%');
