-- Sessions of people of a domain that is taken from a federation do not come back with it, and those that are being begun do not begin: see provider_is_as_seen().
CREATE OR REPLACE FUNCTION federation_domain_left() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE identity_provider p SET sessions_from = clock_timestamp(), keys_epoch = p.keys_epoch + 1
        WHERE p.federation_id = OLD.federation_id AND (OLD.domain = ANY (p.domains) OR provider_is_tried_out(p));
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER federation_domain_left AFTER DELETE ON federation_domain
    FOR EACH ROW EXECUTE FUNCTION federation_domain_left();
