-- Takes a passkey of a person away, if another one or a password is left. No row when there is no such passkey; is_last: it stays. Others wait: person_lock was first.
-- scope: principal :person
WITH found AS (
    SELECT k.id, k.name,
           NOT (EXISTS (SELECT FROM passkey o WHERE o.person_id = k.person_id AND o.id <> k.id)
                OR (:counts_password::boolean AND EXISTS (SELECT FROM password w WHERE w.person_id = k.person_id))) AS is_last
      FROM passkey k WHERE k.id = :passkey AND k.person_id = :person
), gone AS (
    DELETE FROM passkey k USING found WHERE k.id = found.id AND NOT found.is_last
)
SELECT found.name, found.is_last FROM found
