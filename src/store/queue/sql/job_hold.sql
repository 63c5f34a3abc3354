-- Holds a job until the transaction ends, if the lease is still the caller's: nobody else can take it meanwhile, even when the lease runs out.
-- scope: organization $1
SELECT 1 FROM job WHERE org_id IS NOT DISTINCT FROM $1::bytea AND id = $2 AND lease_epoch = $3::bigint AND state = 'RUNNING' FOR UPDATE
