-- A name of a tenant's as a part of a path in a bucket: nothing in it can lead out of its place.
CREATE OR REPLACE FUNCTION export_name(p_name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(regexp_replace(regexp_replace(p_name, '[^A-Za-z0-9._-]+', '_', 'g'), '^\.+', '_'), '\.{2,}', '_', 'g')
$$;
