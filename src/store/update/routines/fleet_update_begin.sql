-- Writes down a rollout with the clusters that it is about, canaries first. OK, RUNNING (one is under way), NOTHING (every cluster is current), or UNKNOWN with a word that
-- means no cluster. Clusters of every tenant are in it, so only the service may.
CREATE OR REPLACE FUNCTION fleet_update_begin(p_update bytea, p_by text, p_wish jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_only jsonb := nullif(p_wish -> 'clusters', '[]');
    v_canaries jsonb := coalesce(p_wish -> 'canaries', '[]');
    v_count int := coalesce((p_wish ->> 'canaryCount')::int, 1);
    v_version text := p_wish ->> 'version';
    v_word text;
BEGIN
    IF reeve_is_service() IS NOT TRUE THEN
        RAISE EXCEPTION 'fleets are updated by the service only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    LOCK TABLE fleet_update IN SHARE ROW EXCLUSIVE MODE; -- two operators at the same moment
    IF EXISTS (SELECT FROM fleet_update WHERE state = 'RUNNING') THEN
        RETURN 'RUNNING';
    END IF;
    SELECT w INTO v_word FROM jsonb_array_elements_text(coalesce(v_only, '[]') || v_canaries) w
        WHERE NOT EXISTS (SELECT FROM fleet_versions f WHERE cluster_is_named(to_jsonb(ARRAY[w]), f.cluster_id, f.name, f.project_id, f.project_name)) LIMIT 1;
    IF v_word IS NOT NULL THEN
        RETURN 'UNKNOWN ' || v_word;
    END IF;
    INSERT INTO fleet_update (id, version, at_a_time, patience_s, ignores_window, with_pinned, created_by)
        VALUES (p_update, v_version, coalesce((p_wish ->> 'atATime')::int, 2), coalesce((p_wish ->> 'patienceSeconds')::int, 300),
                coalesce((p_wish ->> 'ignoreWindow')::boolean, false), coalesce((p_wish ->> 'includePinned')::boolean, false), p_by);
    WITH found AS MATERIALIZED (
        SELECT f.*,
               CASE WHEN f.verdict NOT IN ('BEHIND', 'PINNED') THEN f.reason
                    WHEN f.verdict = 'PINNED' AND NOT coalesce((p_wish ->> 'includePinned')::boolean, false) THEN f.reason
                    WHEN v_version IS NOT NULL AND f.installed <> v_version THEN 'Its hosts have ' || f.installed || '.' END AS out_because,
               cluster_is_named(v_canaries, f.cluster_id, f.name, f.project_id, f.project_name) AS is_named
        FROM fleet_versions f
        WHERE f.verdict <> 'CURRENT' AND (v_only IS NULL OR cluster_is_named(v_only, f.cluster_id, f.name, f.project_id, f.project_name))
    ), ordered AS (
        -- Of the others those come first that have a replica: a program that does not start costs them nothing but the replica.
        SELECT f.*, row_number() OVER (ORDER BY f.out_because IS NOT NULL, f.is_named DESC, f.members = 1, f.cluster_id) AS place FROM found f
    )
    INSERT INTO fleet_update_cluster (update_id, cluster_id, org_id, project_id, name, position, is_canary, state, from_version, to_version, members, problem)
    SELECT p_update, o.cluster_id, o.org_id, o.project_id, o.project_name || '/' || o.name, o.place,
           o.out_because IS NULL AND (o.is_named OR (v_canaries = '[]' AND o.place <= v_count)),
           CASE WHEN o.out_because IS NULL THEN 'WAITING' ELSE 'SKIPPED' END, o.running, o.installed, o.members, o.out_because
    FROM ordered o;
    RETURN CASE WHEN EXISTS (SELECT FROM fleet_update_cluster WHERE update_id = p_update AND state = 'WAITING') THEN 'OK' ELSE 'NOTHING' END;
END $$;
REVOKE ALL ON FUNCTION fleet_update_begin(bytea, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fleet_update_begin(bytea, text, jsonb) TO reeve_tenant;
