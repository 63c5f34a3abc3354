-- Certificates that say what they are for (docs/internals/fleet.md): every cluster has an authority of its own, which signs what its
-- members show each other. A cluster from before moves over in three phases, so that no member ever refuses another:
--   PREPARE  members trust the cluster's authority beside the fleet's, and show the fleet's certificates
--   CHANGE   they trust both, and show the cluster's
--   CLOSED   they trust and show the cluster's only
-- The next phase begins when every member has reached the last. A cluster whose agents all know this begins with CLOSED.

ALTER TABLE authority ADD COLUMN cluster_id reeve_id;
CREATE UNIQUE INDEX authority_of_cluster ON authority (cluster_id) WHERE purpose = 'CLUSTER';

-- Not a column of cluster: jobs lock that row before members, reports the other way round. So there is no foreign key, either.
CREATE TABLE cluster_walls (
    cluster_id reeve_id PRIMARY KEY,
    phase      text NOT NULL CHECK (phase IN ('PREPARE', 'CHANGE', 'CLOSED'))
);
ALTER TABLE cluster_walls ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON cluster_walls TO reeve_reader;
CREATE POLICY reader ON cluster_walls FOR SELECT TO reeve_reader USING (true);

-- What agents say is in their facts: "walls" is a list of "<member id>=<phase>" for what is in force. A host without the list has an
-- agent from before. A member that was never reported begins with what it is told.
CREATE FUNCTION cluster_walls_settle(p_clusters bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    v_moved bytea[];
BEGIN
    WITH reached AS (
        SELECT m.cluster_id, min(CASE
                   WHEN NOT h.facts ? 'walls' THEN 0
                   WHEN m.reported_at IS NULL THEN 3
                   WHEN h.facts -> 'walls' ? (encode(m.id, 'hex') || '=CLOSED') THEN 3
                   WHEN h.facts -> 'walls' ? (encode(m.id, 'hex') || '=CHANGE') THEN 2
                   WHEN h.facts -> 'walls' ? (encode(m.id, 'hex') || '=PREPARE') THEN 1
                   ELSE 0 END) AS least
        FROM cluster_member m JOIN host h ON h.id = m.host_id
        WHERE m.cluster_id = ANY (p_clusters) AND m.desired <> 'REMOVED' AND h.state <> 'REMOVED'
        GROUP BY m.cluster_id
    ), moved AS (
        INSERT INTO cluster_walls AS w (cluster_id, phase)
        SELECT r.cluster_id, CASE r.least WHEN 0 THEN 'PREPARE' WHEN 1 THEN 'CHANGE' ELSE 'CLOSED' END FROM reached r ORDER BY 1
        ON CONFLICT (cluster_id) DO UPDATE SET phase = excluded.phase WHERE w.phase <> excluded.phase
        RETURNING w.cluster_id
    )
    SELECT array_agg(m.host_id::bytea) INTO v_moved FROM cluster_member m JOIN moved USING (cluster_id)
        WHERE m.desired <> 'PLANNED'; -- of those nobody is told yet
    IF v_moved IS NOT NULL THEN
        PERFORM goal_touch_hosts(v_moved);
    END IF;
END $$;
REVOKE ALL ON FUNCTION cluster_walls_settle(bytea[]) FROM PUBLIC;

CREATE FUNCTION host_facts_move_walls() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM cluster_walls_settle(ARRAY(SELECT DISTINCT m.cluster_id::bytea FROM cluster_member m WHERE m.host_id = NEW.id));
    RETURN NULL;
END $$;
CREATE TRIGGER host_facts_move_walls AFTER UPDATE OF facts ON host
    FOR EACH ROW WHEN (OLD.facts -> 'walls' IS DISTINCT FROM NEW.facts -> 'walls') EXECUTE FUNCTION host_facts_move_walls();

CREATE FUNCTION member_moves_walls() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    PERFORM cluster_walls_settle(ARRAY[coalesce(NEW.cluster_id, OLD.cluster_id)::bytea]);
    RETURN NULL;
END $$;
CREATE TRIGGER member_moves_walls AFTER INSERT OR DELETE ON cluster_member FOR EACH ROW EXECUTE FUNCTION member_moves_walls();

CREATE FUNCTION cluster_walls_go() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM certificate c USING authority a WHERE a.purpose = 'CLUSTER' AND a.cluster_id = OLD.id AND c.authority = a.id;
    DELETE FROM authority WHERE purpose = 'CLUSTER' AND cluster_id = OLD.id;
    DELETE FROM cluster_walls WHERE cluster_id = OLD.id;
    RETURN OLD;
END $$;
CREATE TRIGGER cluster_walls_go BEFORE DELETE ON cluster FOR EACH ROW EXECUTE FUNCTION cluster_walls_go();

-- What is told about a cluster beside what 0014 has; host_goal() says it from 0033 on.
CREATE FUNCTION cluster_walls_goal(p_cluster bytea) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS
    $$ SELECT coalesce((SELECT w.phase FROM cluster_walls w WHERE w.cluster_id = p_cluster), 'PREPARE') $$;
REVOKE ALL ON FUNCTION cluster_walls_goal(bytea) FROM PUBLIC;
