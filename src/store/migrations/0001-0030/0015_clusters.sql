-- Clusters as tenants see them, and what requests and jobs need to know about the hosts behind them.
-- was: 03dacc88cca22aa358167c83dea34de5ec3e2c6217813a2b6f296c4059e954c9

-- Clusters and flex clusters of a project share their names: both stand in connection strings, events and scopes of users.
CREATE UNIQUE INDEX cluster_name_in_project ON cluster (project_id, name);
ALTER TABLE cluster ADD COLUMN next_ordinal int NOT NULL DEFAULT 0; -- of the next member: numbers are not used again

-- What the last restart was for: a step that runs again knows whether it asked already. (The nonce only counts.)
ALTER TABLE cluster_member ADD COLUMN restart_goal bigint NOT NULL DEFAULT 0;
