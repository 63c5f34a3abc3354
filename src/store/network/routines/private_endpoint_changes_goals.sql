-- A service that goes with its project is gone from the goal of its host.
CREATE OR REPLACE FUNCTION private_endpoint_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM goal_touch_hosts(ARRAY[coalesce(NEW.host_id, OLD.host_id)::bytea]);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER private_endpoint_changes_goals AFTER INSERT OR DELETE OR UPDATE OF removed_at, remote_regions, host_id, address ON private_endpoint_service
    FOR EACH ROW EXECUTE FUNCTION private_endpoint_changes_goals();
