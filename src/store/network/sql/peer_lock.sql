-- One peering as the API shows it, held until the transaction ends.
-- scope: project :project
SELECT d.document, text_revision(regexp_replace(d.document, '"lastHandshakeAt" : [^}]*', '', 'g')) AS revision
FROM (SELECT n.id FROM network_peer n WHERE n.project_id = :project AND n.id = :peer FOR UPDATE) l, LATERAL (SELECT peer_shown(l.id) AS document) d
