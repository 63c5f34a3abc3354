-- Without its first labels. Names between the zone and a record exist, too, though they have no records: a resolver that asks label
-- by label must not hear that there is nothing below.
-- before the tables: an index is made with it
CREATE OR REPLACE FUNCTION dns_parent(p_name text, p_labels int) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN substring(p_name FROM ('^(?:[^.]+\.){' || p_labels || '}(.+)$'));
