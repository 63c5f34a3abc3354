-- Other regions whose members a private endpoint service leads to as well. No row when one of them is none of its provider.
-- scope: project :project
UPDATE private_endpoint_service s SET remote_regions = ARRAY(SELECT jsonb_array_elements_text(:regions::jsonb))
WHERE s.project_id = :project AND s.id = :id AND NOT private_endpoint_has_unknown_region(s.provider, ARRAY(SELECT jsonb_array_elements_text(:regions::jsonb)))
RETURNING encode(s.id, 'hex') AS service
