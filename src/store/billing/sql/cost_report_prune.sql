-- Removes reports whose time is over.
-- scope: none, because the service sweeps those of all organizations
DELETE FROM cost_report WHERE token IN (SELECT token FROM cost_report WHERE expires_at < now() LIMIT 500)
