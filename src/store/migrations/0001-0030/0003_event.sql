-- What happened: one event a mutation, in its transaction, chained by hash to the event before it in its organization.
-- `seq` counts without gaps, so counting and deep pages need no counting: page p starts at a known seq.
CREATE TABLE event_chain (
    org_id reeve_id PRIMARY KEY, -- no reference: the chain outlives its organization
    seq    bigint NOT NULL,
    hash   bytea NOT NULL
);
CREATE TABLE event (
    org_id      reeve_id NOT NULL,
    seq         bigint NOT NULL,
    id          reeve_id NOT NULL,
    project_id  reeve_id,
    project_seq bigint, -- counts the project's events without gaps
    type        text NOT NULL,
    created_at  timestamptz NOT NULL,
    document    text NOT NULL, -- exactly the bytes that were hashed
    hash        bytea NOT NULL,
    PRIMARY KEY (org_id, seq)
) PARTITION BY HASH (org_id);
CREATE TABLE event_count_of_project (
    project_id reeve_id PRIMARY KEY,
    org_id     reeve_id NOT NULL,
    seq        bigint NOT NULL
);
DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE event_%s PARTITION OF event FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
    END LOOP;
END $$;
CREATE INDEX event_of_project ON event (project_id, project_seq) WHERE project_id IS NOT NULL;
CREATE INDEX event_by_id ON event (org_id, id);

-- The answer to a POST with an Idempotency-Key, committed with its change. The answer is sealed: it may hold a secret
-- that is shown once.
CREATE TABLE idempotency (
    principal_id reeve_id NOT NULL,
    key          text NOT NULL,
    request_hash bytea NOT NULL,
    status       int NOT NULL,
    answer       bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (principal_id, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);
