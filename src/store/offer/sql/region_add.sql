-- Adds a region to a provider.
-- scope: none, because regions are the operator's
INSERT INTO region (provider, name) VALUES (:provider, :name) ON CONFLICT DO NOTHING
