-- Gives an organization a data key unless it has this version of it.
-- scope: organization $1
INSERT INTO data_key (org_id, version, sealed)
VALUES ($1, $2::int, $3)
ON CONFLICT (org_id, version) DO NOTHING;
