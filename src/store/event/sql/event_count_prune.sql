-- Deletes some counts of events of projects that are gone for a day. The events themselves stay.
-- scope: none, because the service sweeps by age; row-level security shows it no others
DELETE FROM event_count_of_project WHERE project_id IN (
    SELECT project_id FROM event_count_of_project WHERE gone_at < now() - interval '1 day' ORDER BY gone_at LIMIT :limit::bigint)
