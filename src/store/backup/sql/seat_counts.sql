-- How many seats take in what clusters write, by what was told about them last.
-- scope: none, because metrics are about all organizations
SELECT k.state, count(t.id) AS count
FROM (VALUES ('WORKING'), ('FAILING'), ('DAMAGED')) k (state)
LEFT JOIN stanza_seat t ON t.desired = 'RUNNING'
     AND k.state = CASE WHEN t.damaged_since IS NOT NULL THEN 'DAMAGED' WHEN t.failing_told THEN 'FAILING' ELSE 'WORKING' END
GROUP BY 1 ORDER BY 1
