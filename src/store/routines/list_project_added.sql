-- The triggers run once a statement, however many rows it changed, and as the owner of the tables: a tenant can change a
-- list only through the rows themselves. Lists are taken in one order everywhere, so that two statements that change
-- several cannot wait for each other.
CREATE OR REPLACE FUNCTION list_project_added() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_list record;
BEGIN
    FOR v_list IN SELECT a.org_id, array_agg(a.id::bytea) AS ids FROM added a GROUP BY 1 ORDER BY 1 LOOP
        PERFORM list_change(v_list.org_id, 'project', v_list.ids, 1);
    END LOOP;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER list_added AFTER INSERT ON project REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION list_project_added();
