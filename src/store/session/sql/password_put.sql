-- Sets the password of a person, or changes it.
-- scope: principal :person
INSERT INTO password (person_id, hash) VALUES (:person, :hash::text)
ON CONFLICT (person_id) DO UPDATE SET hash = EXCLUDED.hash, changed_at = now()
