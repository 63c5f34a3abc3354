-- One entry of the access list of a service account or API key.
-- scope: organization $1
SELECT access_entry_json(e, $4::boolean) FROM access_list_entry e WHERE e.org_id = $1 AND e.principal_id = $2 AND e.block = $3::text::cidr
