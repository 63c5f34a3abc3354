-- Ends a session of a person; whoever came with a provider ends those that did, too.
-- scope: principal :person
DELETE FROM console_session WHERE id = :session AND person_id = :person AND (:provider::bytea IS NULL OR provider_id = :provider::bytea)
