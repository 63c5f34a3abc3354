-- Notes what a person is called in an organization. What is empty is taken from the account.
-- scope: organization $1
INSERT INTO member_name (org_id, person_id, first_name, last_name, country)
SELECT $1::bytea, n.id, coalesce(nullif($3::text, ''), n.first_name), coalesce(nullif($4::text, ''), n.last_name), nullif($5::text, '')
FROM person n WHERE n.id = $2
ON CONFLICT (org_id, person_id) DO UPDATE
SET first_name = excluded.first_name, last_name = excluded.last_name, country = excluded.country
