-- With a gate goes what it was known by.
CREATE OR REPLACE FUNCTION restore_gate_closed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE certificate c SET revoked_at = now() WHERE c.kind = 'GATE' AND c.owner = encode(NEW.id, 'hex') AND c.revoked_at IS NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER restore_gate_closed AFTER UPDATE OF gate_port ON restore_job
    FOR EACH ROW WHEN (NEW.gate_port IS NULL AND OLD.gate_port IS NOT NULL) EXECUTE FUNCTION restore_gate_closed();
