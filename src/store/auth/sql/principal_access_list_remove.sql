-- Takes a block of addresses off the access list of a principal.
-- scope: organization :organization
DELETE FROM access_list_entry WHERE org_id = :organization AND principal_id = :principal AND block = :block::text::cidr;
