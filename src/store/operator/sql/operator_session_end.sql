-- Ends a session of an operator.
-- scope: none, because operators belong to no organization
DELETE FROM operator_session WHERE id = :session AND operator_id = :operator_id
