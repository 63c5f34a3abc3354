-- Deletes some restores that ended long ago, oldest first; not one that members are still told of, and no download of which something is left.
-- scope: none, because what ended long ago is the service's to forget
DELETE FROM restore_job WHERE id IN (SELECT r.id FROM restore_job r
                                     WHERE r.finished_at < now() - :days::bigint * interval '1 day' AND r.phase IS NULL
                                       AND NOT EXISTS (SELECT FROM download d WHERE d.restore_id = r.id AND d.released_at IS NULL)
                                     ORDER BY r.finished_at LIMIT :limit::bigint)
