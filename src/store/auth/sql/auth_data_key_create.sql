-- Gives an organization a data key unless it has this version of it.
-- scope: organization :organization
INSERT INTO data_key (org_id, version, sealed)
VALUES (:organization, :version::int, :sealed)
ON CONFLICT (org_id, version) DO NOTHING;
