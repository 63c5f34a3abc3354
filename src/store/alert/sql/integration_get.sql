-- One integration by its type, with how sending of measurements goes.
-- scope: project :project
SELECT ((r.document - 'internal') || measurement_push_state(r.id))::text AS document, r.revision
FROM resource r WHERE r.scope = :project AND r.kind = 'integration' AND r.name = :name
