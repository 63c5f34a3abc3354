-- Takes a host out of use, or back into it.
-- scope: none, because hosts are the operator's
UPDATE host SET state = :state WHERE name = :name AND state <> 'REMOVED' RETURNING encode(id, 'hex') AS host
