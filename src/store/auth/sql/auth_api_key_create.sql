-- Makes an API key.
-- scope: organization $1
WITH made AS (
    INSERT INTO principal (id, kind, org_id) VALUES ($2, 'api_key', $1) RETURNING id, org_id
)
INSERT INTO api_key (id, org_id, public_key, description, mask, ha1_md5, ha1_sha256)
SELECT made.id, made.org_id, $3::text, $4::text, $5::text, $6::bytea, $7::bytea FROM made;
