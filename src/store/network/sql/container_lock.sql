-- One network container as the API shows it, held until the transaction ends; as is what its block is used for.
-- scope: project $1
SELECT d.document, text_revision(d.document)
FROM (SELECT n AS held FROM network_container n WHERE n.project_id = $1 AND n.id = $2 FOR UPDATE) l,
     LATERAL (SELECT container_json(l.held, container_is_held((l.held).id)) AS document) d
