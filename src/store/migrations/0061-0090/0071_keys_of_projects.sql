-- Keys that projects keep at services of their own (docs/internals/keys.md).
CREATE INDEX resource_key_service ON resource (scope) WHERE kind = 'encryptionAtRest' AND (document -> 'kmip' ->> 'enabled')::boolean;
CREATE INDEX resource_keyed_cluster ON resource (scope) WHERE kind = 'cluster' AND document ->> 'encryptionAtRestProvider' = 'KMIP';

-- When a worker asked the service of a project. Apart from its settings, so that nobody who changes these comes before others.
CREATE TABLE key_service_ask (
    project_id  reeve_id PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE,
    asked_at    timestamptz NOT NULL,
    lease_until timestamptz, -- a question is under way
    is_proven   boolean NOT NULL DEFAULT false -- it answered quickly the last time: it need not wait behind those that may not
);
ALTER TABLE key_service_ask ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON key_service_ask TO reeve_reader;
CREATE POLICY reader ON key_service_ask FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON key_service_ask TO reeve_tenant;
CREATE POLICY service ON key_service_ask TO reeve_tenant USING (reeve_is_service());
