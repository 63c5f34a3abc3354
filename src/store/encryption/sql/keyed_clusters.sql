-- How many clusters of a project are under its key.
-- scope: project :project
SELECT count(*) AS clusters FROM resource r WHERE r.scope = :project AND r.kind = 'cluster' AND r.document ->> 'encryptionAtRestProvider' = 'KMIP'
