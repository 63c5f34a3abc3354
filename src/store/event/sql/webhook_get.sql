-- One webhook as the API shows it.
-- scope: organization :organization
SELECT webhook_json(w) AS document, w.revision FROM webhook w WHERE w.org_id = :organization AND w.id = :webhook
