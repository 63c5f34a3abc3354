-- Measurements that are sent to a service of the tenant (docs/internals/integrations.md#measurements). A trigger on `resource` makes and removes the rows.

CREATE TABLE measurement_push (
    integration_id reeve_id PRIMARY KEY,
    project_id     reeve_id NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    since          timestamptz NOT NULL DEFAULT now(), -- what was measured before is not sent
    next_try_at    timestamptz NOT NULL DEFAULT now(),
    failures       bigint NOT NULL DEFAULT 0, -- since something was sent
    lease_epoch    bigint NOT NULL DEFAULT 0, -- a holder of an older one cannot write any more
    lease_until    timestamptz,
    last_sent_at   timestamptz,
    last_status    int,
    last_error     text,
    sent_points    bigint NOT NULL DEFAULT 0,
    late_points    bigint NOT NULL DEFAULT 0 -- too old when they could have been sent: left out
);
CREATE INDEX measurement_push_due ON measurement_push (next_try_at);
CREATE INDEX measurement_push_of_project ON measurement_push (project_id);

-- How far it came with each member. Points of a member come in order, those of two do not.
CREATE TABLE measurement_push_place (
    integration_id reeve_id NOT NULL REFERENCES measurement_push (integration_id) ON DELETE CASCADE,
    member_id      reeve_id NOT NULL REFERENCES cluster_member (id) ON DELETE CASCADE,
    sent_ms        bigint NOT NULL, -- all points up to here are sent, or left out
    seen_ms        bigint NOT NULL, -- the newest point of the last look: everything up to it is in the stores by the next one
    PRIMARY KEY (integration_id, member_id)
);
CREATE INDEX measurement_push_place_of_member ON measurement_push_place (member_id);

DO $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['measurement_push', 'measurement_push_place'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', one);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', one);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', one);
        EXECUTE format('CREATE POLICY service ON %I TO reeve_tenant USING (reeve_is_service())', one);
    END LOOP;
END $$;
