-- Projects with events that were not looked at yet.
-- scope: none, because the worker serves all organizations; it takes each project in a transaction of its organization
SELECT encode(a.org_id, 'hex') AS organization, encode(a.project_id, 'hex') AS project
FROM alert_cursor a JOIN event_count_of_project c ON c.project_id = a.project_id
WHERE c.seq > a.project_seq
LIMIT 16
