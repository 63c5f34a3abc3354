-- A restore that somebody asks for. Nothing when its seat is gone, or another restore into that cluster is not finished. After one that failed and left its
-- members without data there is nothing to go back to.
-- scope: organization :organization
INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, snapshot_id, snapshot_at, point_at, point_lsn,
                         point_timeline, is_last, target_project_id, target_id, target_name, keeps_before)
SELECT :restore, t.org_id, s.project_id, s.cluster_id, s.cluster_name, s.name, t.id, t.host_id, :label, :point, :snapshot::bytea,
       (SELECT n.created_at FROM snapshot n WHERE n.org_id = :organization AND n.id = :snapshot::bytea), to_timestamp(:moment_ms::bigint / 1000.0), :lsn::pg_lsn,
       :timeline::bigint, :is_last::boolean, :target_project, :target::bytea, :target_name,
       NOT EXISTS (SELECT FROM restore_job r WHERE r.org_id = :organization AND r.target_id = :target::bytea AND r.phase IS NOT NULL)
FROM stanza_seat t JOIN backup_stanza s ON s.id = t.stanza_id
WHERE t.org_id = :organization AND t.id = :seat AND s.project_id = :project AND s.cluster_id = :cluster
ON CONFLICT (target_id) WHERE finished_at IS NULL DO NOTHING
