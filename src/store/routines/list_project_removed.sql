-- Projects that are removed no longer count in the list of their organization.
CREATE OR REPLACE FUNCTION list_project_removed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_list record;
BEGIN
    FOR v_list IN SELECT r.org_id, array_agg(r.id::bytea) AS ids FROM removed r GROUP BY 1 ORDER BY 1 LOOP
        PERFORM list_change(v_list.org_id, 'project', v_list.ids, -1);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER list_removed AFTER DELETE ON project REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION list_project_removed();
