-- Takes a block of addresses off the access list of a principal.
-- scope: organization $1
DELETE FROM access_list_entry WHERE org_id = $1 AND principal_id = $2 AND block = $3::text::cidr;
