-- One cluster as the API shows it; its revision is that of what is shown. And what hangs on it, for links: whether an outage is
-- simulated, and the newest load of sample data (its name is its id, which begins with the time).
-- scope: project $1
SELECT d.document, text_revision(d.document),
       EXISTS (SELECT FROM resource o WHERE o.scope = $1 AND o.kind = 'outageSimulation' AND o.name = $3),
       (SELECT l.name FROM resource l WHERE l.scope = $1 AND l.kind = 'sampleDatasetLoad' AND l.document ->> 'clusterName' = $3
        ORDER BY l.name DESC LIMIT 1)
FROM cluster_document d WHERE d.scope = $1 AND d.kind = $2 AND d.name = $3
