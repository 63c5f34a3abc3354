-- What was missing from answers: who signed in when, and from where credentials were used.
-- was: 36918c7e136e5c6dadd12b49c5d6256061956dbb19d90fad1ca3b569c303d1e2

-- From where and how often an entry of an access list was used. Nodes of the version before count nothing.
ALTER TABLE access_list_entry ADD COLUMN last_used_address inet,
                              ADD COLUMN request_count     bigint NOT NULL DEFAULT 0;

-- What is open about a cluster is counted for the list of all clusters.
CREATE INDEX alert_open_of_cluster ON alert (project_id, cluster) WHERE status = 'OPEN' AND cluster IS NOT NULL;

-- When a simulated outage ends by itself. Those that nodes of the version before begin have no such date.
CREATE INDEX resource_outage_ends ON resource ((document ->> 'expirationDate') COLLATE "C")
    WHERE kind = 'outageSimulation' AND state IN ('START_REQUESTED', 'STARTING', 'SIMULATING');
