-- A new endpoint of a private endpoint service.
-- scope: project :project
INSERT INTO private_endpoint (service_id, org_id, name, address, access_generation)
SELECT s.id, s.org_id, :name, :address::inet, :generation::bigint FROM private_endpoint_service s WHERE s.project_id = :project AND s.id = :id
