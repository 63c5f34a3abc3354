-- Ends sessions that could not be opened any more: from outside of the networks $1 (a JSON list), and with $2, which says that there is no directory,
-- those of the role $6, who prove to one who they are. Those in $8 (a JSON list of names and blocks) come from their own block. Not those of the accounts $3, $4, $5 and $7, which are the fleet's own.
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND client_addr IS NOT NULL AND usename NOT IN ($3, $4, $5, $7)
  AND NOT EXISTS (SELECT FROM json_array_elements($8::json) AS s (one) WHERE usename = one ->> 'name' AND client_addr <<= (one ->> 'from')::inet)
  AND (NOT EXISTS (SELECT FROM json_array_elements_text($1::json) AS n (block) WHERE client_addr <<= n.block::inet)
       OR ($2::bool AND EXISTS (SELECT FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid
                                WHERE g.rolname = $6 AND m.member = usesysid)))
