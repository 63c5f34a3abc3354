-- Takes a host out of use, or back into it.
-- scope: none, because hosts are the operator's
UPDATE host SET state = $2 WHERE name = $1 AND state <> 'REMOVED' RETURNING encode(id, 'hex')
