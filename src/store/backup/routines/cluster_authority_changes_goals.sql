-- Who backs a cluster up trusts its authority, which is made when somebody first asks for a certificate.
CREATE OR REPLACE FUNCTION cluster_authority_changes_goals() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM stanza_touch(s.id) FROM backup_stanza s WHERE s.cluster_id = NEW.cluster_id AND s.state = 'OPEN';
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER cluster_authority_made AFTER INSERT ON authority
    FOR EACH ROW WHEN (NEW.purpose = 'CLUSTER') EXECUTE FUNCTION cluster_authority_changes_goals();
