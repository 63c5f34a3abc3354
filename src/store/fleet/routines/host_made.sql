-- Every host has a goal from the beginning.
CREATE OR REPLACE FUNCTION host_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO host_goal_version (host_id) VALUES (NEW.id);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER host_made AFTER INSERT ON host FOR EACH ROW EXECUTE FUNCTION host_made();
