-- Whether there is a federation.
-- scope: none, because it is the operator who asks about all of them
SELECT 1 FROM federation WHERE id = :federation
