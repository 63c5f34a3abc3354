-- Notes what a person is called in an organization. What is empty is taken from the account.
-- scope: organization :organization
INSERT INTO member_name (org_id, person_id, first_name, last_name, country)
SELECT :organization::bytea, n.id, coalesce(nullif(:first::text, ''), n.first_name), coalesce(nullif(:last::text, ''), n.last_name), nullif(:country::text, '')
FROM person n WHERE n.id = :person
ON CONFLICT (org_id, person_id) DO UPDATE
SET first_name = excluded.first_name, last_name = excluded.last_name, country = excluded.country
