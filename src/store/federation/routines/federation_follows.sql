-- An organization is in one federation from its first moment on. One that is left by its last organization goes.
CREATE OR REPLACE FUNCTION federation_follows() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        -- What was agreed with the old federation ends here.
        DELETE FROM role_mapping WHERE org_id = OLD.id;
        DELETE FROM federated_member WHERE org_id = OLD.id;
        DELETE FROM trusted_program WHERE org_id = OLD.id;
        DELETE FROM connected_organization WHERE org_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO federation (id) VALUES (NEW.federation_id) ON CONFLICT DO NOTHING;
        INSERT INTO connected_organization (org_id, federation_id) VALUES (NEW.id, NEW.federation_id);
    END IF;
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM federation f
            WHERE f.id = OLD.federation_id AND NOT EXISTS (SELECT FROM organization o WHERE o.federation_id = f.id);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER federation_begins AFTER INSERT OR DELETE ON organization
    FOR EACH ROW EXECUTE FUNCTION federation_follows();

CREATE OR REPLACE TRIGGER federation_changes AFTER UPDATE OF federation_id ON organization
    FOR EACH ROW WHEN (OLD.federation_id IS DISTINCT FROM NEW.federation_id) EXECUTE FUNCTION federation_follows();
