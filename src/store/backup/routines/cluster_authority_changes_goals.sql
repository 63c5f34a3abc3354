-- Who backs a cluster up, or has a gate for it, trusts its authority, which is made when somebody first asks for a certificate.
CREATE OR REPLACE FUNCTION cluster_authority_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM stanza_touch(s.id) FROM backup_stanza s WHERE s.cluster_id = NEW.cluster_id AND s.state = 'OPEN';
    PERFORM goal_touch_hosts(ARRAY(SELECT r.host_id::bytea FROM restore_job r WHERE r.target_id = NEW.cluster_id AND r.gate_port IS NOT NULL));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER cluster_authority_made AFTER INSERT ON authority
    FOR EACH ROW WHEN (NEW.purpose = 'CLUSTER') EXECUTE FUNCTION cluster_authority_changes_goals();
