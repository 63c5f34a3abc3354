-- How many hosts keep this database, by how that goes, and how much would be lost if it was lost now; -1: all of it.
-- scope: none, because metrics are about all organizations
SELECT k.state, count(b.host_id) AS count,
       coalesce((SELECT greatest(0, extract(epoch FROM now() - o.window_to))::bigint FROM own_backup o JOIN host h ON h.id = o.host_id WHERE o.window_to IS NOT NULL AND h.state <> 'REMOVED'
                 ORDER BY o.window_to DESC LIMIT 1), -1) AS age_s
FROM (VALUES ('WORKING'), ('FAILING'), ('UNPROVEN')) k (state)
LEFT JOIN (own_backup b JOIN host h ON h.id = b.host_id AND h.state <> 'REMOVED') ON own_backup_state(b) = k.state
GROUP BY 1 ORDER BY 1
