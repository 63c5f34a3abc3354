-- Revokes every certificate of an owner.
-- scope: none, because hosts and services belong to the operator
UPDATE certificate SET revoked_at = now() WHERE kind = $1 AND owner = $2 AND revoked_at IS NULL
