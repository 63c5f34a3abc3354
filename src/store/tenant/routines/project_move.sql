-- A move is the one change with two organizations in it, which no policy can allow without allowing theft. It runs as the
-- owner and takes only what the transaction's own organization has. Roles of people in the project go with it; the
-- credentials of the old organization lose theirs. False when there is no such project.
CREATE OR REPLACE FUNCTION project_move(p_project bytea, p_from bytea, p_to bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF p_from IS DISTINCT FROM reeve_organization() THEN
        RETURN false;
    END IF;
    UPDATE project SET org_id = p_to, revision = nextval('revision') WHERE id = p_project AND org_id = p_from;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    UPDATE resource SET org_id = p_to WHERE scope = p_project AND org_id = p_from;
    UPDATE directory_sync SET org_id = p_to WHERE project_id = p_project;
    UPDATE event_count_of_project SET org_id = p_to WHERE project_id = p_project AND org_id = p_from;
    DELETE FROM role_grant g USING principal p
        WHERE g.project_id = p_project AND p.id = g.principal_id AND p.org_id IS NOT NULL AND p.org_id <> p_to;
    UPDATE role_grant SET org_id = p_to WHERE project_id = p_project;
    RETURN true;
END $$;
REVOKE ALL ON FUNCTION project_move(bytea, bytea, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION project_move(bytea, bytea, bytea) TO reeve_tenant;
