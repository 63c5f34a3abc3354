-- Reading events, and handing them on.

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

-- The first place whose event is not older than the moment; one behind the last when all are.
CREATE FUNCTION event_place_from(p_org bytea, p_moment timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_low bigint := 1;
    v_high bigint := coalesce((SELECT c.seq FROM event_chain c WHERE c.org_id = p_org), 0) + 1;
    v_middle bigint;
BEGIN
    WHILE v_low < v_high LOOP
        v_middle := (v_low + v_high) / 2;
        IF (SELECT e.created_at FROM event e WHERE e.org_id = p_org AND e.seq = v_middle) >= p_moment THEN
            v_high := v_middle;
        ELSE
            v_low := v_middle + 1;
        END IF;
    END LOOP;
    RETURN v_low;
END $$;

CREATE FUNCTION event_place_in_project_from(p_project bytea, p_moment timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_low bigint := 1;
    v_high bigint := coalesce((SELECT c.seq FROM event_count_of_project c WHERE c.project_id = p_project), 0) + 1;
    v_middle bigint;
BEGIN
    WHILE v_low < v_high LOOP
        v_middle := (v_low + v_high) / 2;
        IF (SELECT e.created_at FROM event e WHERE e.project_id = p_project AND e.project_seq = v_middle) >= p_moment THEN
            v_high := v_middle;
        ELSE
            v_low := v_middle + 1;
        END IF;
    END LOOP;
    RETURN v_low;
END $$;

-- The places between two dates in milliseconds, both included; NULL: no bound.
CREATE FUNCTION event_range(p_org bytea, p_min_ms bigint, p_max_ms bigint, OUT first bigint, OUT last bigint)
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_min_ms IS NULL THEN 1 ELSE event_place_from(p_org, to_timestamp(p_min_ms / 1000.0)) END,
           CASE WHEN p_max_ms IS NULL THEN coalesce((SELECT c.seq FROM event_chain c WHERE c.org_id = p_org), 0)
                ELSE event_place_from(p_org, to_timestamp((p_max_ms + 1) / 1000.0)) - 1 END
$$;
CREATE FUNCTION event_range_in_project(p_project bytea, p_min_ms bigint, p_max_ms bigint, OUT first bigint, OUT last bigint)
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN p_min_ms IS NULL THEN 1 ELSE event_place_in_project_from(p_project, to_timestamp(p_min_ms / 1000.0)) END,
           CASE WHEN p_max_ms IS NULL
                THEN coalesce((SELECT c.seq FROM event_count_of_project c WHERE c.project_id = p_project), 0)
                ELSE event_place_in_project_from(p_project, to_timestamp((p_max_ms + 1) / 1000.0)) - 1 END
$$;

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

CREATE FUNCTION webhook_json(w webhook) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_strip_nulls(json_build_object(
        'id', encode(w.id, 'hex'),
        'url', w.url,
        'description', w.description,
        'eventTypes', coalesce(to_json(w.event_types), '[]'),
        'enabled', w.enabled,
        'createdAt', api_date(w.created_at),
        'state', CASE WHEN NOT w.enabled THEN 'DISABLED' WHEN w.paused_at IS NOT NULL THEN 'PAUSED'
                      WHEN w.failures > 0 THEN 'FAILING' ELSE 'ACTIVE' END,
        'deliveredSequence', w.delivered_seq,
        'pendingEvents', greatest(0, coalesce((SELECT c.seq FROM event_chain c WHERE c.org_id = w.org_id), 0) - w.delivered_seq),
        'lastDeliveryAt', api_date(w.last_delivery_at),
        'lastAttemptAt', api_date(w.last_attempt_at),
        'lastStatus', w.last_status,
        'lastError', w.last_error,
        'failures', w.failures,
        'failingSince', api_date(w.failing_since),
        'pausedAt', api_date(w.paused_at)))::text
$$;
