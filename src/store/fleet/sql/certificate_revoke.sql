-- Revokes every certificate of an owner.
-- scope: none, because hosts and services belong to the operator
UPDATE certificate SET revoked_at = now() WHERE kind = :kind AND owner = :owner AND revoked_at IS NULL
