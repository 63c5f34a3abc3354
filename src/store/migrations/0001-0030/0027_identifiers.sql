-- No identifier means "none": what is missing is NULL, and what is the service's is said by a setting of its own.
-- was: dc1bcc7cfb779f3b7d66eefd655d5f8897c7a4ebd0bea02db9b2df5e8aa34e3a

DROP POLICY operator ON federation_domain;
CREATE POLICY service ON federation_domain TO reeve_tenant USING (reeve_is_service());

-- ---- Jobs about hosts belong to no organization ----
ALTER TABLE job ALTER COLUMN org_id DROP NOT NULL, ALTER COLUMN project_id DROP NOT NULL;
ALTER TABLE job_history ALTER COLUMN org_id DROP NOT NULL;
UPDATE job SET org_id = NULL, project_id = NULL WHERE org_id = '\x000000000000000000000000';
UPDATE job_history SET org_id = NULL WHERE org_id = '\x000000000000000000000000';
CREATE POLICY service ON job TO reeve_tenant USING (org_id IS NULL AND reeve_is_service());
CREATE POLICY service ON job_history TO reeve_tenant USING (org_id IS NULL AND reeve_is_service());

-- ---- A role of projects is held in a project ----
-- Without one it counted in every project of the organization, and no project listed who held it.
DELETE FROM role_grant WHERE project_id IS NULL AND role LIKE 'GROUP\_%';
ALTER TABLE role_grant ADD CONSTRAINT role_grant_has_project CHECK (project_id IS NOT NULL OR role NOT LIKE 'GROUP\_%');
