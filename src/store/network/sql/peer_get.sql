-- One peering as the API shows it. When its gateways were heard last is no part of its revision.
-- scope: project :project
SELECT d.document, text_revision(regexp_replace(d.document, '"lastHandshakeAt" : [^}]*', '', 'g')) AS revision
FROM network_peer n, LATERAL (SELECT peer_json(n) AS document) d
WHERE n.project_id = :project AND n.id = :peer
