-- One cluster as the API shows it; its revision is that of what is shown. And what hangs on it, for links: whether an outage is
-- simulated, and the newest load of sample data (its name is its id, which begins with the time).
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision,
       EXISTS (SELECT FROM resource o WHERE o.scope = :project AND o.kind = 'outageSimulation' AND o.name = :name) AS has_outage,
       (SELECT l.name FROM resource l WHERE l.scope = :project AND l.kind = 'sampleDatasetLoad' AND l.document ->> 'clusterName' = :name
        ORDER BY l.name DESC LIMIT 1) AS sample_load
FROM cluster_document d WHERE d.scope = :project AND d.kind = :kind AND d.name = :name
