-- Makes a service account without any secret.
-- scope: organization :organization
WITH made AS (
    INSERT INTO principal (id, kind, org_id) VALUES (:account, 'service_account', :organization) RETURNING id, org_id
)
INSERT INTO service_account (id, org_id, name, description)
SELECT made.id, made.org_id, :name::text, :description::text FROM made;
