-- Notes what an operator changes, in the same transaction.
-- scope: none, because operators belong to no organization
INSERT INTO operator_action (operator, operation, target, request, address, request_id) VALUES (:operator_name, :operation, :target, :request::jsonb, :address, :request_id)
