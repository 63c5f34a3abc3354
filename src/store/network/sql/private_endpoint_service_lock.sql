-- One private endpoint service as the API shows it, held until the transaction ends, and how many endpoints it has.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision, (l.held).removed_at IS NOT NULL AS is_removed,
       (SELECT count(*) FROM private_endpoint e WHERE e.service_id = (l.held).id AND e.removed_at IS NULL) AS count
FROM (SELECT s AS held FROM private_endpoint_service s WHERE s.project_id = :project AND s.id = :id AND s.provider = :provider FOR UPDATE) l,
     LATERAL (SELECT private_endpoint_service_json(l.held) AS document) d
