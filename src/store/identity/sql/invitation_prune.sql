-- Deletes some invitations that were accepted or have expired more than :days days ago, oldest first.
-- scope: none, because the service sweeps by age; row-level security shows it no younger ones
DELETE FROM invitation WHERE id IN (SELECT id FROM invitation WHERE coalesce(accepted_at, expires_at) < now() - :days::bigint * interval '1 day'
                                    ORDER BY coalesce(accepted_at, expires_at) LIMIT :limit::bigint)
