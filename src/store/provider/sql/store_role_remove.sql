-- Removes a role in an object store: from then on nothing is written with it.
-- scope: none, because object stores are the operator's
DELETE FROM store_role WHERE store = :store AND name = :name RETURNING name
