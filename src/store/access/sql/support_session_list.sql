-- A page of the sessions that support staff have open now, oldest first; with :session only that one, and with its project.
-- scope: none, because operators look after all organizations
WITH fitting AS MATERIALIZED (
    SELECT r.id, r.scope, r.org_id, (r.document - 'verifier' - 'deleteAfterDate' - 'roles') || jsonb_build_object(
               'sessionId', encode(r.id, 'hex'), 'username', r.name, 'projectId', encode(r.scope, 'hex'), 'orgId', encode(r.org_id, 'hex'),
               'openedAt', api_date(r.created_at), 'endsAt', r.document ->> 'deleteAfterDate') AS document
    FROM resource r WHERE r.kind = 'supportSession' AND (document ->> 'deleteAfterDate') COLLATE "C" > api_date(now())
      AND (:session::bytea IS NULL OR r.id = :session::bytea))
SELECT (SELECT count(*) FROM fitting) AS total, page.document::text AS document, encode(page.id, 'hex') AS key, encode(page.scope, 'hex') AS project,
       encode(page.org_id, 'hex') AS organization
FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT * FROM fitting f ORDER BY f.id OFFSET :offset::bigint LIMIT :limit::bigint) page ON true
ORDER BY page.id
