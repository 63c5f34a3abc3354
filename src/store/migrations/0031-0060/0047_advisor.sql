-- The advisor (docs/internals/advisor.md): what statements cost, by shape, and what its members advise. Only hosts write it, through advice_store().

-- What the advisor of a member said last. A member is shown as a process, so what is shown of it is kept here: members belong to hosts, which tenants do not see.
CREATE TABLE member_advice (
    member_id    reeve_id PRIMARY KEY REFERENCES cluster_member (id) ON DELETE CASCADE,
    project_id   reeve_id NOT NULL,
    cluster_id   reeve_id NOT NULL REFERENCES cluster (id) ON DELETE CASCADE,
    name         text NOT NULL,        -- of the process, without the domain
    address      text,
    port         int NOT NULL DEFAULT 27017,
    looked_at    timestamptz NOT NULL, -- by the host's clock: what is not newer was taken before
    missing      text NOT NULL DEFAULT '',
    advised_at   timestamptz,
    cluster_size int NOT NULL DEFAULT 0, -- members that the cluster should have running, when it was advised
    advice       jsonb
);
CREATE INDEX member_advice_of_cluster ON member_advice (project_id, cluster_id);
CREATE INDEX member_advice_cluster ON member_advice (cluster_id);

CREATE TABLE query_shape (
    cluster_id reeve_id NOT NULL REFERENCES cluster (id) ON DELETE CASCADE,
    project_id reeve_id NOT NULL,
    hash       text NOT NULL, -- of the text
    database   text NOT NULL,
    text       text NOT NULL,
    command    text NOT NULL,
    namespace  text, -- database.table
    first_seen timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    PRIMARY KEY (cluster_id, hash, database)
);
CREATE INDEX query_shape_seen ON query_shape (last_seen);

-- By ten minutes.
CREATE TABLE query_cost (
    member_id  reeve_id NOT NULL REFERENCES member_advice (member_id) ON DELETE CASCADE,
    project_id reeve_id NOT NULL,
    cluster_id reeve_id NOT NULL,
    since      timestamptz NOT NULL,
    hash       text NOT NULL,
    database   text NOT NULL,
    calls      bigint NOT NULL,
    ms         double precision NOT NULL,
    rows       bigint NOT NULL,
    bytes      bigint NOT NULL,
    PRIMARY KEY (member_id, since, hash, database)
);
CREATE INDEX query_cost_of_cluster ON query_cost (cluster_id, since);
CREATE INDEX query_cost_since ON query_cost (since);

CREATE TABLE slow_query (
    member_id  reeve_id NOT NULL REFERENCES member_advice (member_id) ON DELETE CASCADE,
    project_id reeve_id NOT NULL,
    at         timestamptz NOT NULL,
    ms         double precision NOT NULL,
    hash       text NOT NULL,
    database   text NOT NULL,
    is_primary boolean NOT NULL
);
CREATE INDEX slow_query_of_member ON slow_query (member_id, at);
CREATE INDEX slow_query_at ON slow_query (at);

DO $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['member_advice', 'query_shape', 'query_cost', 'slow_query'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', one);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', one);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', one);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', one);
    END LOOP;
END $$;
