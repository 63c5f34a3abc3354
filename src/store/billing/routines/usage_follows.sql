-- A member counts from when its place is reserved until that is given back; its size not while it is stopped. One that is to go
-- counts as before until it is gone.
CREATE OR REPLACE FUNCTION usage_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM usage_becomes(OLD, 'MEMBER', NULL, NULL), usage_becomes(OLD, 'DISK', NULL, NULL);
        RETURN NULL;
    END IF;
    PERFORM usage_becomes(NEW, 'DISK', 'DISK_GB', NEW.disk_gb);
    IF NEW.desired = 'STOPPED' OR (NEW.desired = 'REMOVED' AND NOT EXISTS (
           SELECT FROM usage_span s WHERE s.member_id = NEW.id AND s.unit = 'MEMBER' AND s.ended_at IS NULL)) THEN
        PERFORM usage_becomes(NEW, 'MEMBER', NULL, NULL);
    ELSE
        PERFORM usage_becomes(NEW, 'MEMBER', 'MEMBER_' || NEW.size, 1);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER usage_follows AFTER INSERT OR DELETE OR UPDATE OF desired, size, disk_gb, org_id ON cluster_member
    FOR EACH ROW EXECUTE FUNCTION usage_follows();
