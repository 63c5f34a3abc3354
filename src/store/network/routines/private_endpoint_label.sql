-- The first label of the name of a service: pl-0-eu-north.
CREATE OR REPLACE FUNCTION private_endpoint_label(s private_endpoint_service) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN 'pl-' || s.number || '-' || regexp_replace(lower(s.region), '[^a-z0-9]+', '-', 'g');
