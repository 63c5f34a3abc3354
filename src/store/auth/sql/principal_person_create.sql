-- Makes a person, who belongs to no organization yet.
-- scope: principal :person
WITH made AS (
    INSERT INTO principal (id, kind) VALUES (:person, 'person') RETURNING id
)
INSERT INTO person (id, username, first_name, last_name)
SELECT made.id, :username::text, :first_name::text, :last_name::text FROM made;
