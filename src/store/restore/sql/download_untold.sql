-- Downloads of which no event says whether there is a file.
-- scope: none, because the worker tells those of all organizations
SELECT encode(d.restore_id, 'hex') AS restore, encode(d.org_id, 'hex') AS organization, encode(r.project_id, 'hex') AS project, r.cluster_name, r.state,
       restore_json(r, 'backup') AS document
FROM download d JOIN restore_job r ON r.id = d.restore_id
WHERE d.told_at IS NULL AND r.state IN ('DONE', 'FAILED') ORDER BY r.finished_at, r.id LIMIT :limit::bigint
