-- Adds a passkey to a person. Nobody has more than twenty.
-- scope: principal :person
INSERT INTO passkey (id, person_id, credential, public_key, counter, name)
SELECT :passkey, n.id, :credential, :public_key, :counter::bigint, :name::text
  FROM person n
 WHERE n.id = :person AND (SELECT count(*) FROM passkey k WHERE k.person_id = n.id) < 20
