-- What a project has switched off: the names of its settings that are false.
CREATE OR REPLACE FUNCTION project_switched_off(p_project bytea) RETURNS text[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT ARRAY(SELECT s.key FROM resource r, jsonb_each(r.document) s
                 WHERE r.scope = p_project AND r.kind = 'projectSettings' AND r.name = '' AND s.value = 'false' ORDER BY s.key)
$$;
