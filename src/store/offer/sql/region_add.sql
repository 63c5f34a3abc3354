-- Adds a region to a provider.
-- scope: none, because regions are the operator's
INSERT INTO region (provider, name) VALUES ($1, $2) ON CONFLICT DO NOTHING
