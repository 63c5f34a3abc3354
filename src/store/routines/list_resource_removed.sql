-- ... until they are removed.
CREATE OR REPLACE FUNCTION list_resource_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_list record;
BEGIN
    FOR v_list IN SELECT r.scope, r.kind, array_agg(r.id::bytea) AS ids FROM removed r GROUP BY 1, 2 ORDER BY 1, 2 LOOP
        PERFORM list_change(v_list.scope, v_list.kind, v_list.ids, -1);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER list_removed AFTER DELETE ON resource REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION list_resource_removed();
