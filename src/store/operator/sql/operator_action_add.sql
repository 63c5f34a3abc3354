-- Notes what an operator changes, in the same transaction.
-- scope: none, because operators belong to no organization
INSERT INTO operator_action (operator, operation, target, request, address, request_id) VALUES ($1, $2, $3, $4::jsonb, $5, $6)
