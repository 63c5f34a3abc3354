-- Deletes some records of certificates that nobody would accept any more for more than a day, revoked or not, oldest first.
-- scope: none, because the service sweeps by age
DELETE FROM certificate WHERE serial IN (SELECT serial FROM certificate WHERE not_after < now() - interval '1 day' ORDER BY not_after LIMIT :limit::bigint)
