-- Nobody who changes an integration can forget to say so. What is switched on begins now; what is changed is tried again soon, and who works on it
-- loses it. A look needs some seconds after the one before it, so it is not tried at once.
CREATE OR REPLACE FUNCTION measurement_push_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (NEW.document -> 'sendDatabaseMetrics') IS DISTINCT FROM 'true' THEN
        DELETE FROM measurement_push WHERE integration_id = OLD.id;
        RETURN NULL;
    END IF;
    INSERT INTO measurement_push AS p (integration_id, project_id) VALUES (NEW.id, NEW.scope)
    ON CONFLICT (integration_id) DO UPDATE
    SET failures = 0, last_error = NULL, next_try_at = now() + interval '15 seconds', lease_epoch = p.lease_epoch + 1, lease_until = NULL;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER measurement_push_made AFTER INSERT ON resource
    FOR EACH ROW WHEN (NEW.kind = 'integration' AND NEW.name = 'DATADOG' AND NEW.document -> 'sendDatabaseMetrics' = 'true')
    EXECUTE FUNCTION measurement_push_follows();

CREATE OR REPLACE TRIGGER measurement_push_changed AFTER UPDATE OF document ON resource
    FOR EACH ROW WHEN (NEW.kind = 'integration' AND NEW.name = 'DATADOG') EXECUTE FUNCTION measurement_push_follows();

CREATE OR REPLACE TRIGGER measurement_push_gone AFTER DELETE ON resource
    FOR EACH ROW WHEN (OLD.kind = 'integration' AND OLD.name = 'DATADOG') EXECUTE FUNCTION measurement_push_follows();
