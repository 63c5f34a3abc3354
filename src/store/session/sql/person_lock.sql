-- Makes others wait who take away something that the person signs in with, so that something is left.
-- scope: principal :person
SELECT n.username FROM person n WHERE n.id = :person FOR NO KEY UPDATE
