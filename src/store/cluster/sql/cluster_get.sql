-- One cluster as the API shows it; its revision is that of what is shown. And what hangs on it, for links: whether an outage is
-- simulated, the newest load of sample data (its name is its id, which begins with the time), and whether it has backups: those of flex
-- clusters have no schedule of their tenants' own.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision,
       EXISTS (SELECT FROM resource o WHERE o.scope = :project AND o.kind = 'outageSimulation' AND o.name = :name) AS has_outage,
       (SELECT l.name FROM resource l WHERE l.scope = :project AND l.kind = 'sampleDatasetLoad' AND l.document ->> 'clusterName' = :name
        ORDER BY l.name DESC LIMIT 1) AS sample_load,
       d.kind = 'cluster' AND EXISTS (SELECT FROM backup_stanza t WHERE t.project_id = :project AND t.cluster_id = d.id AND t.state <> 'REMOVING')
       AND EXISTS (SELECT FROM resource s WHERE s.scope = :project AND s.kind = 'backupSchedule' AND s.name = encode(d.id, 'hex')) AS has_backups
FROM cluster_document d WHERE d.scope = :project AND d.kind = :kind AND d.name = :name
