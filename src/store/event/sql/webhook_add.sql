-- A new webhook of an organization; it begins behind the newest event.
-- scope: organization $1
INSERT INTO webhook (org_id, id, url, description, event_types, enabled, secret, delivered_seq)
VALUES ($1::bytea, $2, $3, $4, $5::text[], $6::boolean, $7, coalesce((SELECT seq FROM event_chain WHERE org_id = $1::bytea), 0))
