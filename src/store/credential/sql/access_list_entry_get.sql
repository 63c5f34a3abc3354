-- One entry of the access list of a service account or API key.
-- scope: organization :organization
SELECT access_entry_json(e, :is_api_key::boolean) AS document FROM access_list_entry e WHERE e.org_id = :organization AND e.principal_id = :credential AND e.block = :block::text::cidr
