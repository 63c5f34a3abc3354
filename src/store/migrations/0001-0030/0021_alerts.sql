-- Alerts: what was raised, and who is told about it. Configurations are resources of kind alertConfig.
-- was: 23323b52410c5de034bb1cad504ae4cb841069638f84154e05f54176158bfb26

-- How far the events of a project have been looked at. Whoever looks holds the row; so does who changes a configuration.
CREATE TABLE alert_cursor (
    project_id  reeve_id PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE,
    org_id      reeve_id NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    project_seq bigint NOT NULL
);

CREATE TABLE alert (
    id                 reeve_id PRIMARY KEY,
    org_id             reeve_id NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    project_id         reeve_id NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    config_id          reeve_id NOT NULL, -- may be gone
    event_id           reeve_id NOT NULL, -- the one that raised it
    event_type         text NOT NULL,
    severity           text NOT NULL,
    cluster            text,
    status             text NOT NULL CHECK (status IN ('TRACKING', 'OPEN', 'CLOSED')),
    lasts              boolean NOT NULL, -- until an event ends it; else it is of one moment, and closed after a while
    close_at           timestamptz,      -- of one of a moment
    event_count        bigint NOT NULL DEFAULT 1, -- of the last hour, when it was raised
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    resolved_at        timestamptz,
    last_notified_at   timestamptz,
    acknowledged_until timestamptz,
    comment            text,
    acknowledged_by    text,
    revision           bigint NOT NULL DEFAULT nextval('revision')
);
-- An event raises one alert of a configuration, and what lasts is raised once.
CREATE UNIQUE INDEX alert_once ON alert (config_id, event_id);
CREATE UNIQUE INDEX alert_lasting_once ON alert (config_id, coalesce(cluster, '')) WHERE lasts AND status <> 'CLOSED';
CREATE INDEX alert_of_project ON alert (project_id, created_at, id);
CREATE INDEX alert_of_project_by_status ON alert (project_id, status, created_at, id);
CREATE INDEX alert_of_config ON alert (config_id, created_at, id) WHERE status <> 'CLOSED';
CREATE INDEX alert_of_organization ON alert (org_id);
CREATE INDEX alert_closing ON alert (close_at) WHERE status <> 'CLOSED' AND close_at IS NOT NULL;

-- One row for each time that one notification of a configuration is to tell of an alert. Its id goes out with it.
CREATE TABLE alert_notification (
    id          reeve_id PRIMARY KEY,
    org_id      reeve_id NOT NULL REFERENCES organization (id) ON DELETE CASCADE,
    project_id  reeve_id NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    alert_id    reeve_id NOT NULL REFERENCES alert (id) ON DELETE CASCADE,
    notifier_id reeve_id NOT NULL, -- in the configuration
    about       text NOT NULL CHECK (about IN ('OPENED', 'REMINDER', 'CLOSED')),
    number      int NOT NULL DEFAULT 0, -- of the reminder
    state       text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'SENT', 'FAILED', 'CANCELLED')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    due_at      timestamptz NOT NULL, -- then tries begin
    next_try_at timestamptz NOT NULL,
    tries       int NOT NULL DEFAULT 0,
    lease_epoch bigint NOT NULL DEFAULT 0,
    lease_until timestamptz,
    sent_at     timestamptz,
    last_status int,
    last_error  text
);
CREATE UNIQUE INDEX alert_notification_once ON alert_notification (alert_id, notifier_id, about, number);
CREATE INDEX alert_notification_due ON alert_notification (next_try_at) WHERE state = 'PENDING';
CREATE INDEX alert_notification_of_project ON alert_notification (project_id);
CREATE INDEX alert_notification_of_organization ON alert_notification (org_id);

ALTER TABLE alert_cursor ENABLE ROW LEVEL SECURITY;
ALTER TABLE alert ENABLE ROW LEVEL SECURITY;
ALTER TABLE alert_notification ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON alert_cursor, alert, alert_notification TO reeve_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON alert_cursor, alert, alert_notification TO reeve_tenant;
CREATE POLICY reader ON alert_cursor FOR SELECT TO reeve_reader USING (true);
CREATE POLICY reader ON alert FOR SELECT TO reeve_reader USING (true);
CREATE POLICY reader ON alert_notification FOR SELECT TO reeve_reader USING (true);
CREATE POLICY tenant ON alert_cursor TO reeve_tenant USING (org_id = reeve_organization());
CREATE POLICY tenant ON alert TO reeve_tenant USING (org_id = reeve_organization());
CREATE POLICY tenant ON alert_notification TO reeve_tenant USING (org_id = reeve_organization());
