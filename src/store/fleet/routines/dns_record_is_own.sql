-- A cluster has records of its own names only, whoever writes them: not of another's, not of the zone's. A worker of the version before, which does not know the
-- names of a newer cluster, is refused, and a newer one does its step.
CREATE OR REPLACE FUNCTION dns_record_is_own() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_name text := split_part(regexp_replace(NEW.name, '^_postgresql\._tcp\.', ''), '.', 1);
    v_own boolean;
BEGIN
    SELECT CASE WHEN NEW.type IN ('A', 'AAAA') THEN v_name ~ ('^' || coalesce(c.host_label, c.set_name || '-shard-00') || '-[0-9]+(-pri)?$')
                ELSE v_name ~ ('^' || coalesce(c.host_label, c.set_name) || '(-pri)?$') END
    INTO v_own FROM cluster c WHERE c.id = NEW.cluster_id;
    IF v_own IS NOT TRUE THEN
        RAISE EXCEPTION 'the name % is not of this cluster', NEW.name USING ERRCODE = 'check_violation', CONSTRAINT = 'dns_record_is_own';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER dns_record_is_own BEFORE INSERT OR UPDATE OF name, type, cluster_id ON dns_record FOR EACH ROW EXECUTE FUNCTION dns_record_is_own();
