-- The name of each cluster at each service of its project.
CREATE OR REPLACE VIEW private_endpoint_targets AS
SELECT s.id AS service_id, c.id AS cluster_id, s.project_id, private_endpoint_label(s) || '.' || a.hash || '.' || z.name AS target,
       coalesce(c.host_label, c.set_name) || '-' || private_endpoint_label(s) || '.' || a.hash || '.' || z.name AS name, a.hash || '.' || z.name AS parent
FROM private_endpoint_service s JOIN project_access a ON a.project_id = s.project_id JOIN cluster c ON c.project_id = s.project_id CROSS JOIN dns_zone z
WHERE s.removed_at IS NULL;
