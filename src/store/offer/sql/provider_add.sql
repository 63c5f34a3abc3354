-- Adds a provider: whose machines they are.
-- scope: none, because providers are the operator's
INSERT INTO provider (name) VALUES (:name) ON CONFLICT DO NOTHING
