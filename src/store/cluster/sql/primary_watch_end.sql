-- A cluster is not without a primary any more. Gives a row when it was, and whether anybody was told.
-- scope: none, because the service sweeps the clusters of all organizations
DELETE FROM cluster_watch WHERE cluster_id = :cluster RETURNING is_told
