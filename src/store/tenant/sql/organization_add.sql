-- Creates an organization.
-- scope: organization $1
INSERT INTO organization (id, name, federation_id, access_list_required, settings) VALUES ($1, $2, $3, $4::boolean, $5::jsonb)
