-- Deletes some restores that ended long ago, oldest first; not one that members are still told of.
-- scope: none, because what ended long ago is the service's to forget
DELETE FROM restore_job WHERE id IN (SELECT r.id FROM restore_job r
                                     WHERE r.finished_at < now() - :days::bigint * interval '1 day' AND r.phase IS NULL
                                     ORDER BY r.finished_at LIMIT :limit::bigint)
