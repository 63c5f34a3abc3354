-- One webhook as the API shows it, held until the transaction ends.
-- scope: organization $1
SELECT webhook_json(w), w.revision FROM webhook w WHERE w.org_id = $1 AND w.id = $2 FOR UPDATE
