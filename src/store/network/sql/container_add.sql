-- A new network container of a project.
-- scope: project $1
INSERT INTO network_container (project_id, id, org_id, provider, region, block) VALUES ($1, $2, $3, $4, $5, $6::cidr)
