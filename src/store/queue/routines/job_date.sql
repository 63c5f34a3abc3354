-- With milliseconds, because steps are short.
CREATE OR REPLACE FUNCTION job_date(moment timestamptz) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
