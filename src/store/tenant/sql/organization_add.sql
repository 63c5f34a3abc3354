-- Creates an organization.
-- scope: organization :organization
INSERT INTO organization (id, name, federation_id, access_list_required, settings) VALUES (:organization, :name, :federation, :access_list_required::boolean, :settings::jsonb)
