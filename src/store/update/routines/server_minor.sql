-- 6 of '17.6', for the major version '17'; NULL for what is no version of it: reports of hosts are believed only in this form.
CREATE OR REPLACE FUNCTION server_minor(p_version text, p_major text) RETURNS int LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN p_version ~ '^[0-9]{1,3}\.[0-9]{1,3}$' AND split_part(p_version, '.', 1) = p_major THEN split_part(p_version, '.', 2)::int END;
