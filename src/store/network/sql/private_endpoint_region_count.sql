-- In how many regions a project has private endpoint services.
-- scope: project :project
SELECT count(DISTINCT (s.provider, s.region)) AS count FROM private_endpoint_service s WHERE s.project_id = :project
