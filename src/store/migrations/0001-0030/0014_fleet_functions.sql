-- What crosses organizations: goals that move, and names. docs/internals/fleet.md is the contract.
-- was: f6bc390e4556d37b8cc48f27e4b2ffcce623b76816f7216e8a3c15d0b645e402

ALTER TABLE host SET (fillfactor = 70);
ALTER TABLE cluster_member SET (fillfactor = 70);

-- ---- Goals that move ----
-- A transaction notes here whose goals it changed; they move together when it commits, in the order of their ids. So two
-- transactions that touch the same hosts never wait for each other in a circle, whatever else they do in between, and nobody waits
-- for longer than a commit. A row never outlives its transaction.
CREATE UNLOGGED TABLE goal_touch (
    tx      xid8 NOT NULL,
    host_id reeve_id NOT NULL,
    PRIMARY KEY (tx, host_id)
);
ALTER TABLE goal_touch ENABLE ROW LEVEL SECURITY;

-- ---- Names ----
-- PowerDNS reads dns_record through views that look like its own tables, so its own statements work on them. They are in a schema
-- with the name of the role that reads them: it needs no search path and sees nothing else. They run as the owner.
CREATE TABLE dns_zone (
    id          int PRIMARY KEY CHECK (id = 1), -- a deployment has one: `domain` of reeve.conf
    name        text NOT NULL,
    nameservers text[] NOT NULL CHECK (cardinality(nameservers) > 0),
    contact     text NOT NULL -- hostmaster.example.org
);
ALTER TABLE dns_zone ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON dns_zone TO reeve_reader;
CREATE POLICY reader ON dns_zone FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON dns_zone TO reeve_tenant;
CREATE POLICY service ON dns_zone TO reeve_tenant USING (reeve_is_service());
CREATE INDEX dns_record_parent_1 ON dns_record (dns_parent(name, 1));
CREATE INDEX dns_record_parent_2 ON dns_record (dns_parent(name, 2));
CREATE INDEX dns_record_parent_3 ON dns_record (dns_parent(name, 3));

DO $$
DECLARE
    v_try int;
BEGIN
    -- As in 0005: roles belong to the whole server.
    FOR v_try IN 1..20 LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'reeve_dns') THEN
                CREATE ROLE reeve_dns NOLOGIN;
            END IF;
            EXIT;
        EXCEPTION WHEN duplicate_object OR unique_violation OR internal_error THEN
            IF v_try = 20 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(0.1);
        END;
    END LOOP;
END $$;
CREATE SCHEMA reeve_dns;
GRANT USAGE ON SCHEMA reeve_dns TO reeve_dns;
