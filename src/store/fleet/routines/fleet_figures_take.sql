-- Finds the figures out and keeps them for all nodes. By the owner, because they are about all organizations; nothing in them names a tenant.
-- Compiling the plan would take longer than running it.
CREATE OR REPLACE FUNCTION fleet_figures_take() RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET jit = off AS $$
DECLARE
    v_figures jsonb;
    v_began timestamptz := clock_timestamp();
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'figures are taken by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT coalesce(jsonb_agg(jsonb_strip_nulls(to_jsonb(f)) ORDER BY f.metric, f.label_1, f.label_2, f.label_3), '[]') INTO v_figures
    FROM (SELECT * FROM host_figures UNION ALL SELECT * FROM capacity_figures UNION ALL SELECT * FROM certificate_figures UNION ALL SELECT * FROM cluster_figures
          UNION ALL SELECT * FROM etcd_figures UNION ALL SELECT * FROM backup_figures UNION ALL SELECT * FROM job_figures UNION ALL SELECT * FROM instance_figures) f;
    INSERT INTO fleet_figures (taken_at, took_ms, figures) VALUES (now(), extract(epoch FROM clock_timestamp() - v_began) * 1000, v_figures)
        ON CONFLICT (is_only) DO UPDATE SET taken_at = excluded.taken_at, took_ms = excluded.took_ms, figures = excluded.figures;
    PERFORM capacity_note();
    RETURN jsonb_array_length(v_figures);
END $$;
REVOKE ALL ON FUNCTION fleet_figures_take() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fleet_figures_take() TO reeve_tenant;
