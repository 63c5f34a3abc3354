-- How long to wait after a failure when there were so many before it: twice as long each time, up to a bound, and anything between half of that and all of it. What base/backoff.h is in C.
CREATE OR REPLACE FUNCTION backoff(p_failures integer, p_first_ms bigint, p_most_ms bigint) RETURNS interval LANGUAGE sql VOLATILE PARALLEL SAFE
    RETURN least(p_first_ms * 2 ^ least(p_failures, 30), p_most_ms) * (0.5 + random() / 2) * interval '1 millisecond';
