-- One webhook as the API shows it.
-- scope: organization $1
SELECT webhook_json(w), w.revision FROM webhook w WHERE w.org_id = $1 AND w.id = $2
