-- What is configured: one table for every kind of configuration resource. `scope` is the project or organization.
CREATE TABLE resource (
    scope               reeve_id NOT NULL,
    kind                text NOT NULL,
    id                  reeve_id NOT NULL,
    name                text NOT NULL, -- empty for a kind of which a scope has one
    org_id              reeve_id NOT NULL,
    document            jsonb NOT NULL,
    generation          bigint NOT NULL DEFAULT 1,
    observed_generation bigint NOT NULL DEFAULT 0,
    state               text NOT NULL DEFAULT '',
    created_at          timestamptz NOT NULL DEFAULT now(),
    revision            bigint NOT NULL DEFAULT nextval('revision'),
    PRIMARY KEY (scope, kind, id),
    CONSTRAINT resource_name_in_scope UNIQUE (scope, kind, name)
) PARTITION BY HASH (scope);
DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE resource_%s PARTITION OF resource FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
        -- The store takes the number off again: a violation is known by one name in whichever part it happens.
        EXECUTE format('ALTER TABLE resource_%s RENAME CONSTRAINT resource_%s_scope_kind_name_key TO resource_name_in_scope_%s',
                       part, part, part);
    END LOOP;
END $$;
