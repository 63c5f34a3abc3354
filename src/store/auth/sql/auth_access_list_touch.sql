-- Notes that entries of an access list let requests in from an address, and how many.
-- scope: organization :organization
UPDATE access_list_entry
   SET last_used_at = now(), last_used_address = :address::inet, request_count = request_count + :count::bigint
 WHERE org_id = :organization AND principal_id = :principal AND block >>= :address::inet;
