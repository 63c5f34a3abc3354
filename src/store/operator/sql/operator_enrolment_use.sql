-- Uses up a token, once. Not for an operator who has a passkey by now.
-- scope: none, because operators belong to no organization
DELETE FROM operator_enrolment e
 WHERE e.mac = :mac AND e.operator_id = :operator_id AND e.expires_at > now()
   AND NOT EXISTS (SELECT FROM operator_passkey k WHERE k.operator_id = e.operator_id)
