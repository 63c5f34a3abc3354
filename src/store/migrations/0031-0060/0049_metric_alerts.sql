-- Alerts about what is measured: one for each member that is outside.
ALTER TABLE alert
    ADD COLUMN member_id reeve_id,        -- may be gone; NULL: it is about an event
    ADD COLUMN process   text,            -- its name and port
    ADD COLUMN metric    text,
    ADD COLUMN value     double precision, -- what raised it
    ADD COLUMN units     text;

CREATE UNIQUE INDEX alert_lasting_once_of_member ON alert (config_id, coalesce(cluster, ''), coalesce(member_id::bytea, '')) WHERE lasts AND status <> 'CLOSED';
DROP INDEX alert_lasting_once;
CREATE INDEX alert_of_measurements ON alert (project_id) WHERE member_id IS NOT NULL AND status <> 'CLOSED';
CREATE INDEX resource_metric_alert ON resource (scope, id)
    WHERE kind = 'alertConfig' AND document ->> 'eventTypeName' = 'OUTSIDE_METRIC_THRESHOLD';
