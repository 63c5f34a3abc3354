-- Begins a session of an operator.
-- scope: none, because operators belong to no organization
INSERT INTO operator_session (id, operator_id, mac, expires_at, address, browser)
VALUES (:session, :operator_id, :mac, now() + interval '12 hours', :address::text, :browser::text)
RETURNING api_date(expires_at) AS expires
