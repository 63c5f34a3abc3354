-- A member that comes, goes or moves is known to the relays of its project at once.
CREATE OR REPLACE FUNCTION private_endpoint_follows_members() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_project bytea;
BEGIN
    SELECT c.project_id INTO v_project FROM cluster c WHERE c.id = coalesce(NEW.cluster_id, OLD.cluster_id);
    IF v_project IS NOT NULL AND EXISTS (SELECT FROM private_endpoint_service s WHERE s.project_id = v_project) THEN
        PERFORM private_endpoint_ports_keep(v_project);
        PERFORM goal_touch_hosts(ARRAY(SELECT s.host_id::bytea FROM private_endpoint_service s WHERE s.project_id = v_project));
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER private_endpoint_follows_members AFTER DELETE OR UPDATE OF desired, host_id, analytics ON cluster_member
    FOR EACH ROW EXECUTE FUNCTION private_endpoint_follows_members();
