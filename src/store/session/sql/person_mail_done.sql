-- A mail to a person was sent, or cannot be.
-- scope: none, because workers send whatever is due
DELETE FROM person_mail WHERE id = :mail
