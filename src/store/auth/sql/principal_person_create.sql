-- Makes a person, who belongs to no organization yet.
-- scope: principal $1
WITH made AS (
    INSERT INTO principal (id, kind) VALUES ($1, 'person') RETURNING id
)
INSERT INTO person (id, username, first_name, last_name)
SELECT made.id, $2::text, $3::text, $4::text FROM made;
