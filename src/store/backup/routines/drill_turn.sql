-- When the turn of a cluster began in which its backups are to be tried: turns are as long as the interval, and begin at a moment that follows from
-- the cluster's id, so that those of many clusters are spread.
CREATE OR REPLACE FUNCTION drill_turn(p_cluster bytea, p_days int, p_now timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT to_timestamp((floor((extract(epoch FROM p_now) - t.first) / t.long) * t.long + t.first)::double precision)
    FROM (SELECT p_days * 86400 AS long,
                 ('x' || substr(encode(sha256(p_cluster), 'hex'), 1, 8))::bit(32)::bigint % (p_days * 86400) AS first) t
$$;
