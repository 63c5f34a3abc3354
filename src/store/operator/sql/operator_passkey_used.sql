-- Notes how often a passkey was used, as it says itself. No row when it does not count on: then somebody else used it at the same moment.
-- scope: none, because operators belong to no organization
UPDATE operator_passkey SET counter = :counter::bigint, used_at = now()
 WHERE id = :passkey AND operator_id = :operator_id AND (counter < :counter::bigint OR (counter = 0 AND :counter::bigint = 0))
