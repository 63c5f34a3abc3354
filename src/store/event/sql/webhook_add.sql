-- A new webhook of an organization; it begins behind the newest event.
-- scope: organization :organization
INSERT INTO webhook (org_id, id, url, description, event_types, enabled, secret, delivered_seq)
VALUES (:organization::bytea, :webhook, :url, :description, :event_types::text[], :enabled::boolean, :sealed_secret, coalesce((SELECT seq FROM event_chain WHERE org_id = :organization::bytea), 0))
