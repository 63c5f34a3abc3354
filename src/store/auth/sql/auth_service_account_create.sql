-- Makes a service account without any secret.
-- scope: organization $1
WITH made AS (
    INSERT INTO principal (id, kind, org_id) VALUES ($2, 'service_account', $1) RETURNING id, org_id
)
INSERT INTO service_account (id, org_id, name, description)
SELECT made.id, made.org_id, $3::text, $4::text FROM made;
