-- Reading events, and handing them on.
-- was: 5aaa8208ede4d26f42c8b6da0b9ae6f5bb100dae4c205fdb85a551f669cdeb55

-- Dates never go back within an organization, whatever the clock does: so a date is found by halving, without an index.
ALTER TABLE event_chain ADD COLUMN created_ms bigint NOT NULL DEFAULT 0;

-- The cluster that an event is about, when it is about one.
ALTER TABLE event ADD COLUMN cluster text;
CREATE INDEX event_of_cluster ON event (project_id, cluster, project_seq) WHERE cluster IS NOT NULL;

CREATE INDEX event_by_type ON event (org_id, type, seq);
CREATE INDEX event_of_project_by_type ON event (project_id, type, project_seq) WHERE project_id IS NOT NULL;
-- What happened in an organization outside of its projects.
CREATE INDEX event_outside_projects ON event (org_id, seq) WHERE project_id IS NULL;

-- A project that moved has events of two organizations; they are found by their id alone.
CREATE INDEX event_by_its_id ON event (id);
DROP INDEX event_by_id;

-- Who is told about an organization's events by HTTPS. The row is the whole state: what was delivered, what went wrong, who
-- works on it and until when. `delivered_seq` moves in the transaction that records the delivery.
CREATE TABLE webhook (
    id               reeve_id PRIMARY KEY,
    org_id           reeve_id NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    url              text NOT NULL,
    description      text NOT NULL,
    event_types      text[], -- NULL: all
    enabled          boolean NOT NULL,
    secret           bytea NOT NULL, -- sealed, bound to webhook/<id>/secret
    created_at       timestamptz NOT NULL DEFAULT now(),
    revision         bigint NOT NULL DEFAULT nextval('revision'),
    delivered_seq    bigint NOT NULL,
    last_delivery_at timestamptz,
    last_attempt_at  timestamptz,
    last_status      int,
    last_error       text,
    failures         int NOT NULL DEFAULT 0, -- since the last delivery
    failing_since    timestamptz,
    paused_at        timestamptz, -- it failed for too long
    next_try_at      timestamptz NOT NULL DEFAULT now(),
    lease_epoch      bigint NOT NULL DEFAULT 0,
    lease_until      timestamptz
);
CREATE INDEX webhook_of_organization ON webhook (org_id, id);
CREATE INDEX webhook_due ON webhook (next_try_at) WHERE enabled AND paused_at IS NULL;
ALTER TABLE webhook ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON webhook TO reeve_reader;
CREATE POLICY reader ON webhook FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook TO reeve_tenant;
CREATE POLICY tenant ON webhook TO reeve_tenant USING (org_id = reeve_organization());
