-- Adds the first passkey of an operator, whose token was used up in this transaction.
-- scope: none, because operators belong to no organization
INSERT INTO operator_passkey (id, operator_id, credential, public_key, counter, name)
VALUES (:passkey, :operator_id, :credential, :public_key, :counter::bigint, :name::text)
