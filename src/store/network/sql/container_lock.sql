-- One network container as the API shows it, held until the transaction ends; as is what its block is used for.
-- scope: project :project
SELECT d.document, text_revision(d.document) AS revision
FROM (SELECT n AS held FROM network_container n WHERE n.project_id = :project AND n.id = :container FOR UPDATE) l,
     LATERAL (SELECT container_json(l.held, container_is_held((l.held).id)) AS document) d
