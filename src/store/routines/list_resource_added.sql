-- Resources count in the lists of their kind ...
CREATE OR REPLACE FUNCTION list_resource_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_list record;
BEGIN
    FOR v_list IN SELECT a.scope, a.kind, array_agg(a.id::bytea) AS ids FROM added a GROUP BY 1, 2 ORDER BY 1, 2 LOOP
        PERFORM list_change(v_list.scope, v_list.kind, v_list.ids, 1);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER list_added AFTER INSERT ON resource REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION list_resource_added();
