-- The row of a project's access with its label in host names; made the first time.
CREATE OR REPLACE FUNCTION project_access_make(p_project bytea) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_org bytea := (SELECT p.org_id FROM project p WHERE p.id = p_project);
    v_hash text;
BEGIN
    IF v_org IS NULL OR NOT reeve_acts_for(v_org) THEN
        RETURN NULL;
    END IF;
    LOOP
        SELECT a.hash INTO v_hash FROM project_access a WHERE a.project_id = p_project;
        EXIT WHEN FOUND;
        -- Five of 36 characters; another project may have the same, then others are drawn.
        INSERT INTO project_access (project_id, org_id, hash)
            SELECT p_project, v_org, string_agg(substr('abcdefghijklmnopqrstuvwxyz0123456789', get_byte(r.bytes, i) % 36 + 1, 1), '')
            FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) r, generate_series(0, 4) i
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN v_hash;
END $$;
REVOKE ALL ON FUNCTION project_access_make(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION project_access_make(bytea) TO reeve_tenant;
