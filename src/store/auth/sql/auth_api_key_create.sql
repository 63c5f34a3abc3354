-- Makes an API key.
-- scope: organization :organization
WITH made AS (
    INSERT INTO principal (id, kind, org_id) VALUES (:id, 'api_key', :organization) RETURNING id, org_id
)
INSERT INTO api_key (id, org_id, public_key, description, mask, ha1_md5, ha1_sha256)
SELECT made.id, made.org_id, :public_key::text, :description::text, :mask::text, :ha1_md5::bytea, :ha1_sha256::bytea FROM made;
