-- Where in a bucket an export of the snapshot is written that is asked for at that second. Organization and project stand there by their identifiers, or by their names when
-- the cluster's schedule says so. The service, which sees no names of tenants otherwise, asks for those of all.
CREATE OR REPLACE FUNCTION export_prefix(p_snapshot snapshot, p_cluster text, p_asked_s bigint) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT concat_ws('/', 'exported_snapshots',
                     CASE WHEN s.by_name THEN export_name(o.name) ELSE encode(o.id, 'hex') END,
                     CASE WHEN s.by_name THEN export_name(p.name) ELSE encode(p.id, 'hex') END,
                     export_name(p_cluster),
                     to_char(p_snapshot.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24MI'), p_asked_s)
    FROM project p JOIN organization o ON o.id = p.org_id
    CROSS JOIN LATERAL (SELECT coalesce((SELECT r.document -> 'useOrgAndGroupNamesInExportPrefix' = 'true' FROM resource r
                                         WHERE r.scope = p.id AND r.kind = 'backupSchedule' AND r.name = encode(p_snapshot.cluster_id, 'hex')), false) AS by_name) s
    WHERE p.id = p_snapshot.project_id AND (p.org_id = reeve_organization() OR reeve_is_service())
$$;
REVOKE ALL ON FUNCTION export_prefix(snapshot, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION export_prefix(snapshot, text, bigint) TO reeve_tenant;
