-- Notes that entries of an access list let an address in, at most once a minute.
-- scope: organization $1
UPDATE access_list_entry
   SET last_used_at = now()
 WHERE org_id = $1 AND principal_id = $2 AND block >>= $3::inet
   AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute');
