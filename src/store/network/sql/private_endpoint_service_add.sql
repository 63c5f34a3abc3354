-- A new private endpoint service of a project; empty, or why there can be none.
-- scope: none, because the function looks at the relay hosts of all projects, and only for the organization that the transaction named
SELECT coalesce(private_endpoint_service_add(:id, :project, :provider, :region, ARRAY(SELECT jsonb_array_elements_text(:regions::jsonb))), '') AS obstacle
