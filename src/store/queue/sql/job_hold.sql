-- Holds a job until the transaction ends, if the lease is still the caller's: nobody else can take it meanwhile, even when the lease runs out.
-- scope: organization :organization
SELECT 1 FROM job WHERE org_id IS NOT DISTINCT FROM :organization::bytea AND id = :job AND lease_epoch = :epoch::bigint AND state = 'RUNNING' FOR UPDATE
