-- A moment as the API writes it: UTC, whole seconds.
CREATE OR REPLACE FUNCTION api_date(moment timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
