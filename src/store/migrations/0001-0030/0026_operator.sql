-- Who may change things on the operator's address, and what they changed.

CREATE TABLE operator (
    id         reeve_id PRIMARY KEY,
    name       text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9][a-z0-9._@-]{0,62}$'),
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32), -- HMAC-SHA-256 of the token, which is not here
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
ALTER TABLE operator ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON operator TO reeve_reader;
CREATE POLICY reader ON operator FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON operator TO reeve_tenant;
CREATE POLICY service ON operator TO reeve_tenant USING (reeve_is_service());

-- One row a change, written in its transaction. By name: what somebody did stays when the operator is removed. Only ever added to.
CREATE TABLE operator_action (
    seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at         timestamptz NOT NULL DEFAULT now(),
    operator   text NOT NULL,
    operation  text NOT NULL,
    target     text NOT NULL, -- the path, behind its prefix
    request    jsonb,         -- what was sent; operations of operators take no secrets
    address    text,          -- NULL: at the command line of a node
    request_id text
);
ALTER TABLE operator_action ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON operator_action TO reeve_reader;
CREATE POLICY reader ON operator_action FOR SELECT TO reeve_reader USING (true);
GRANT INSERT ON operator_action TO reeve_tenant;
CREATE POLICY service ON operator_action FOR INSERT TO reeve_tenant WITH CHECK (reeve_is_service());
