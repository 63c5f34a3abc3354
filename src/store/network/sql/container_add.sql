-- A new network container of a project.
-- scope: project :project
INSERT INTO network_container (project_id, id, org_id, provider, region, block) VALUES (:project, :id, :organization, :provider, :region, :block::cidr)
