-- Notes that entries of an access list let requests in from an address, and how many.
-- scope: organization $1
UPDATE access_list_entry
   SET last_used_at = now(), last_used_address = $3::inet, request_count = request_count + $4::bigint
 WHERE org_id = $1 AND principal_id = $2 AND block >>= $3::inet;
