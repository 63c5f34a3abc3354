-- Two of everything, for test/unit/store_statement_test.c and store_lock_test.c: two tenants, alfa and bravo, that are twins. Each has
-- two projects (alfa1, alfa2), each of those two clusters with two members, and so on; beside what a statement should find there is
-- what it should not: expired, closed, finished, of the other cluster. Twins have the same names wherever the schema allows it, so that
-- whoever forgets a tenant, a project or a kind in a condition finds two.
--
-- Everything has an id made of its name: test.id('alfa1 alert'). What is shown of a result has the names in it again. Times are
-- counted from now(), which stands still: the world and all statements are in one transaction. Billing has a clock of its own.
CREATE SCHEMA test;
SET LOCAL reeve.service = 'on';
-- Records here have names that no member has: processes have none until a call gives them theirs.
ALTER TABLE dns_record DISABLE TRIGGER dns_record_is_own;

CREATE TABLE test.name (id bytea PRIMARY KEY, name text NOT NULL);
CREATE FUNCTION test.id(p_name text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT decode('65' || substr(md5(p_name), 1, 22), 'hex') $$;
CREATE FUNCTION test.named(p_name text) RETURNS bytea LANGUAGE sql VOLATILE AS $$
    INSERT INTO test.name VALUES (test.id(p_name), p_name) ON CONFLICT DO NOTHING;
    SELECT test.id(p_name)
$$;
SELECT test.named('new');

-- Dates that calls name are exact to the millisecond, so that a call can hit one.
CREATE FUNCTION test.moment() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT date_trunc('milliseconds', now()) $$;
CREATE FUNCTION test.ms(p_from_now interval) RETURNS bigint LANGUAGE sql STABLE AS $$ SELECT round(extract(epoch FROM test.moment() + p_from_now) * 1000)::bigint $$;

CREATE TABLE test.clock (at timestamptz NOT NULL);
INSERT INTO test.clock VALUES ('2020-03-10 12:30:00+00');
CREATE OR REPLACE FUNCTION billing_now() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT at FROM test.clock $$;

-- ---- The fleet, which all share ----
INSERT INTO provider VALUES ('R'), ('Q'), ('P');
INSERT INTO region VALUES ('Q', 'A'), ('Q', 'B'), ('P', 'B'), ('P', 'A');
INSERT INTO instance_size (name, cpus, memory_mb, disk_gb, max_connections, ordinal) VALUES
    ('M20', 1, 2048, 20, 200, 2), ('M10', 0.5, 1024, 10, 100, 1), ('M99', 9, 9999, 99, 999, 1);
INSERT INTO sku VALUES ('MEMBER_M10', 'A member.', true), ('DISK_GB', 'Disk.', true), ('MEMBER_OLD', 'Of old.', false);
INSERT INTO price VALUES ('MEMBER_M10', '2019-01-01 00:00+00', 5000000), ('MEMBER_M10', '2020-02-01 00:00+00', 6000000), ('DISK_GB', '2019-01-01 00:00+00', 100000), ('MEMBER_OLD', '2019-01-01 00:00+00', 0);
INSERT INTO host (id, name, provider, region, zone, state, cpus, memory_mb, disk_gb, used_cpus, used_memory_mb, used_disk_gb, address, facts, last_seen_at, joined_at)
    SELECT test.named(h.name), h.name, h.provider, h.region, h.zone, h.state, 64, 65536, 4000, 8, 16384, 160, h.address::inet,
           '{"agentVersion": "0.1", "patroniVersion": "4.0.7", "postgresVersions": ["17.6", "16.9"]}', now() - interval '1 minute', now() - interval '1 day'
    FROM (VALUES ('h2', 'P', 'A', 'z2', 'DRAINING', '10.0.2.1'), ('h1', 'P', 'A', 'z1', 'ACTIVE', '10.0.1.1'), ('h3', 'P', 'B', 'z1', 'ACTIVE', '10.0.3.1'),
                 ('h4', 'P', 'A', 'z3', 'REMOVED', NULL), ('h5', 'P', 'A', 'z3', 'DRAINING', '10.0.5.1')) h (name, provider, region, zone, state, address);
UPDATE host SET used_cpus = 0, used_memory_mb = 0, used_disk_gb = 0 WHERE name IN ('h3', 'h4', 'h5');
UPDATE host SET facts = facts || '{"postgresVersions": ["17.6", "15.1"]}' WHERE name = 'h3';
INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb, used_disk_gb, address, facts, last_seen_at, joined_at)
    SELECT test.named(h.name), h.name, 'P', h.region, h.zone, 'REPOSITORY', 8, 8192, 4000, 1000, h.address::inet,
           '{"agentVersion": "0.1", "pgbackrestVersion": "2.55.1"}', now() - interval '1 minute', now() - interval '1 day'
    FROM (VALUES ('r1', 'A', 'z1', '10.0.1.9'), ('r2', 'A', 'z2', '10.0.2.9'), ('r3', 'B', 'z1', '10.0.3.9')) h (name, region, zone, address);
UPDATE host SET used_disk_gb = 0 WHERE name = 'r3';
INSERT INTO host (id, name, provider, region, zone, purpose, cpus, memory_mb, disk_gb, address, facts, last_seen_at, joined_at)
    SELECT test.named(h.name), h.name, 'P', h.region, 'z1', 'RELAY', 2, 4096, 20, h.address::inet, '{"agentVersion": "0.1"}', now() - interval '1 minute', now() - interval '1 day'
    FROM (VALUES ('x1', 'A', '10.0.1.8'), ('x2', 'B', '10.0.3.8')) h (name, region, address);
INSERT INTO host_address (address, prefix, host_id) SELECT ('10.9.' || n || '.' || a)::inet, 16, test.id('x' || n) FROM generate_series(1, 2) n, generate_series(1, 5) a;
INSERT INTO object_store (name, endpoint, bucket, region, keys) VALUES ('eu', 'https://s3.eu.example', 'b', 'r', '\x0a'), ('us', 'https://s3.us.example', 'b', 'r', '\x0b');
INSERT INTO store_role (id, store, name, bucket, prefix, external_id, keys) VALUES (test.named('store role'), 'us', 'taken', 'tenants', 'taken/', md5('alfa1 r1')::uuid, '\x0d');
INSERT INTO authority (id, purpose, certificate, key, not_after) VALUES (test.named('fleet authority'), 'FLEET', 'fleet', 'k', now() + interval '1 day');
INSERT INTO certificate (serial, authority, kind, owner, created_at, not_after, revoked_at) VALUES
    ('H1', test.id('fleet authority'), 'HOST', encode(test.id('h1'), 'hex'), now() - interval '2 hours', now() + interval '1 day', NULL),
    ('H1-OLD', test.id('fleet authority'), 'HOST', encode(test.id('h1'), 'hex'), now() - interval '9 days', now() - interval '3 days', NULL),
    ('H2', test.id('fleet authority'), 'HOST', encode(test.id('h2'), 'hex'), now() - interval '3 hours', now() + interval '1 day', now() - interval '1 hour'),
    ('S', test.id('fleet authority'), 'SERVICE', encode(test.id('h1'), 'hex'), now() - interval '3 hours', now() + interval '1 day', NULL),
    ('S-OLD', test.id('fleet authority'), 'SERVICE', 's', now() - interval '9 days', now() - interval '2 days', NULL),
    ('S-NEW', test.id('fleet authority'), 'SERVICE', 's', now() - interval '3 hours', now() + interval '2 days', NULL);
INSERT INTO join_token (hash, host_name, provider, region, zone, expires_at, used_at) VALUES
    ('\x01', 'h7', 'P', 'A', 'z1', now() + interval '1 hour', NULL), ('\x02', 'h8', 'P', 'B', 'z2', now() + interval '1 hour', now()),
    ('\x03', 'h9', 'Q', 'A', 'z3', now() - interval '1 hour', NULL), ('\x04', 'h9', 'Q', 'A', 'z3', now() - interval '8 days', NULL), ('\x06', 'h6', 'Q', 'B', 'z3', now() + interval '1 hour', NULL);
INSERT INTO etcd_group (name, endpoints, regions, capacity, auth, root, waits_for) VALUES
    ('eu', '{https://e1}', '{P/A}', 10, 'PREPARED', '\x07', NULL), ('us', '{https://u1}', '{P/B}', NULL, 'ON', '\x08', NULL), ('spare', '{https://s1}', '{}', 1, 'ON', '\x09', 'x');
INSERT INTO dns_zone VALUES (1, 'example.test', '{ns1,ns2}', 'hostmaster');
INSERT INTO operator (id, name, token_hash, created_at, expires_at) VALUES
    (test.named('ben'), 'ben', sha256('ben'), now() - interval '2 hours', now() - interval '1 second'), (test.named('ann'), 'ann', sha256('ann'), now() - interval '1 hour', now() + interval '1 day');
INSERT INTO operator_action (at, operator, operation, target) VALUES (now() - interval '3 minutes', 'ann', 'drainHost', '/hosts/h1'),
    (now() - interval '2 minutes', 'ben', 'drainHost', '/hosts/h2'), (now() - interval '1 minute', 'ann', 'activateHost', '/hosts/h1');
INSERT INTO operator_session (id, operator_id, mac, created_at, used_at, verified_at, expires_at, address, browser) VALUES
    (test.named('os'), test.id('ann'), '\x71', now() - interval '1 hour', now() - interval '5 minutes', now() - interval '1 hour', now() + interval '1 hour', '192.0.2.1', 'b'),
    (test.named('os new'), test.id('ann'), '\x72', now(), now(), now(), now() + interval '12 hours', '192.0.2.2', ''),
    (test.named('os idle'), test.id('ann'), '\x73', now() - interval '1 hour', now() - interval '31 minutes', now() - interval '1 hour', now() + interval '1 hour', '192.0.2.1', 'b'),
    (test.named('os over'), test.id('ann'), '\x74', now() - interval '12 hours', now() - interval '5 minutes', now() - interval '1 hour', now() - interval '1 minute', '192.0.2.1', 'b'),
    (test.named('os of ben'), test.id('ben'), '\x75', now(), now(), now(), now() + interval '1 hour', '192.0.2.1', 'b');
INSERT INTO operator_passkey (id, operator_id, credential, public_key, counter, name, created_at) VALUES (test.named('operator key'), test.id('ben'), 'ben', '\x75', 7, 'key', now() - interval '1 day'),
    (test.named('operator key uncounted'), test.id('ben'), 'ben0', '\x76', 0, 'key', now() - interval '1 day');
INSERT INTO operator_enrolment (operator_id, mac, created_at, expires_at) VALUES (test.id('ann'), sha256('ann'), now() - interval '1 hour', now() + interval '1 hour'),
    (test.id('ben'), sha256('ben'), now() - interval '2 hours', now() + interval '1 hour');
INSERT INTO sweep (name, next_run_at, started_at, succeeded_at, lease_owner, lease_epoch, lease_until, problem) VALUES
    ('held', now() - interval '1 minute', now() - interval '2 minutes', NULL, 'w', 4, now() + interval '1 minute', 'it failed'),
    ('early', now() + interval '1 minute', now() - interval '1 minute', now() - interval '1 minute', 'w', 3, NULL, NULL),
    ('due', now() - interval '1 minute', now() - interval '1 hour', now() - interval '1 hour', 'w', 3, NULL, NULL);
INSERT INTO used_challenge (challenge, expires_at) VALUES ('\x61', now() + interval '1 minute'), ('\x62', now() - interval '30 minutes'), ('\x63', now() - interval '2 hours'), ('\x64', now() - interval '3 hours');
INSERT INTO signing_key (id, sealed, created_at) VALUES (1, '\x01', now() - interval '1 day'), (2, '\x02', now() - interval '3 hours'), (3, '\x03', now());

-- ---- People belong to no tenant; "both" is a member of both ----
CREATE FUNCTION test.person(p_name text) RETURNS void LANGUAGE sql AS $$
    INSERT INTO principal (id, kind) VALUES (test.named(p_name), 'person');
    INSERT INTO person (id, username, first_name, last_name) VALUES (test.id(p_name), translate(p_name, ' ', '-') || '@example.test', 'First', 'Last ' || p_name)
$$;
SELECT test.person('both'), test.person('stranger');

-- ---- What an organization has ----
CREATE FUNCTION test.organization(t text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    o bytea := test.named(t || ' org');
    i bytea;
BEGIN
    INSERT INTO organization (id, name, federation_id, access_list_required, settings, created_at)
        VALUES (o, 'The org', test.named(t || ' federation'), false, jsonb_build_object('securityContact', t), now() - interval '9 days');
    INSERT INTO federation_domain (domain, federation_id) VALUES (t || '.test', test.id(t || ' federation')), (t || '.example', test.id(t || ' federation'));
    INSERT INTO identity_provider (id, federation_id, protocol, status, issuer_uri, domains, settings, keys, keys_fetched_at, keys_due_at, keys_epoch, created_at)
        VALUES (test.named(t || ' provider'), test.id(t || ' federation'), 'OIDC', 'ACTIVE', 'https://issuer', ARRAY[t || '.test'],
                '{"audience": "a", "clientId": "c", "userClaim": "email", "groupsClaim": "groups", "authorizationType": "GROUP", "hidden": {"secret": "s"}}',
                '[{"kid": "1"}]', now() - interval '1 hour', now() - interval '1 minute', 5, now() - interval '2 hours'),
               (test.named(t || ' provider off'), test.id(t || ' federation'), 'OIDC', 'INACTIVE', 'https://issuer', '{}', '{}', '[]', NULL, now() - interval '2 minutes', 5, now() - interval '1 hour'),
               (test.named(t || ' provider saml'), test.id(t || ' federation'), 'SAML', 'ACTIVE', 'https://issuer', '{}', '{}', NULL, NULL, now() + interval '1 hour', 5, now()),
               (test.named(t || ' provider programs'), test.id(t || ' federation'), 'OIDC', 'ACTIVE', 'https://issuer', '{}', '{"idpType": "WORKLOAD", "audience": "a", "userClaim": "sub"}', '[{"kid": "2"}]', now(), now() + interval '1 hour', 5, now() - interval '30 minutes');
    UPDATE connected_organization SET provider_id = test.id(t || ' provider'), sign_in_roles = '{ORG_READ_ONLY}' WHERE org_id = o;
    FOREACH i IN ARRAY ARRAY[test.named(t || ' key'), test.named(t || ' key other')] LOOP
        INSERT INTO principal (id, kind, org_id, created_at) VALUES (i, 'api_key', o, now() - interval '3 days');
        INSERT INTO api_key (id, org_id, public_key, description, mask, ha1_md5, ha1_sha256, last_used_at)
            VALUES (i, o, substr(encode(i, 'hex'), 1, 8), t, 'mask', '\x0101', '\x0102', now() - interval '2 minutes');
    END LOOP;
    FOREACH i IN ARRAY ARRAY[test.named(t || ' account'), test.named(t || ' account other')] LOOP
        INSERT INTO principal (id, kind, org_id, created_at) VALUES (i, 'service_account', o, now() - interval '3 days');
        INSERT INTO service_account (id, org_id, name, description) VALUES (i, o, 'account', t);
    END LOOP;
    INSERT INTO trusted_program (account_id, org_id, provider_id, subject) VALUES (test.id(t || ' account'), o, test.id(t || ' provider programs'), t || ' job');
    INSERT INTO service_account_secret (id, account_id, org_id, mac, pepper_version, mask, created_at, expires_at, last_used_at) VALUES
        (test.named(t || ' secret'), test.id(t || ' account'), o, '\x11', 1, 'm1', now() - interval '3 hours', now() + interval '1 day', now() - interval '2 minutes'),
        (test.named(t || ' secret new'), test.id(t || ' account'), o, '\x12', 1, 'm2', now() - interval '1 hour', now() + interval '2 days', NULL),
        (test.named(t || ' secret old'), test.id(t || ' account'), o, '\x13', 1, 'm3', now() - interval '9 days', now() - interval '1 day', NULL),
        (test.named(t || ' secret other'), test.id(t || ' account other'), o, '\x14', 1, 'm4', now() - interval '1 hour', now() + interval '1 day', NULL);
    INSERT INTO access_list_entry (principal_id, org_id, block, comment, created_at) VALUES
        (test.id(t || ' account'), o, '192.0.2.0/24', t, now() - interval '1 hour'), (test.id(t || ' account'), o, '10.0.0.0/8', t, now()),
        (test.id(t || ' account other'), o, '10.0.0.0/8', t, now()), (test.id(t || ' key'), o, '10.0.0.0/8', t, now());
    INSERT INTO data_key VALUES (o, 2, '\x22'), (o, 3, '\x23'), (o, 1, '\x21');
    INSERT INTO revoked_token (principal_id, fingerprint, expires_at) VALUES (test.id(t || ' account'), '\x32', now() + interval '1 hour'),
        (test.id(t || ' account'), '\x31', now() + interval '2 hours'), (test.id(t || ' account'), '\x33', now() - interval '1 hour'),
        (test.id(t || ' account other'), '\x34', now() + interval '1 hour'), (test.id(t || ' account other'), '\x35', now() - interval '30 seconds');
    INSERT INTO limit_override (owner, set_name, capacity, refill) VALUES (o, 'S17', 10, 1), (o, 'S18', 11, 1), (test.id(t || ' account'), 'S17', 12, 1), (test.id(t || ' account other'), 'S17', 13, 1);
    INSERT INTO idempotency (principal_id, key, request_hash, status, answer, created_at) VALUES (test.id(t || ' account'), 'k', '\x41', 200, '\x51', now() - interval '1 hour'),
        (test.id(t || ' account'), 'k2', '\x42', 200, '\x52', now()), (test.id(t || ' account'), 'old', '\x43', 200, '\x53', now() - interval '25 hours'), (test.id(t || ' account other'), 'k', '\x44', 200, '\x54', now());
    PERFORM test.person(t || ' ada'), test.person(t || ' bob');
    INSERT INTO role_grant (principal_id, org_id, role) VALUES (test.id(t || ' account'), o, 'ORG_OWNER'), (test.id(t || ' account other'), o, 'ORG_MEMBER'), (test.id(t || ' key'), o, 'ORG_MEMBER'),
        (test.id(t || ' key other'), o, 'ORG_OWNER'), (test.id(t || ' ada'), o, 'ORG_OWNER'), (test.id(t || ' ada'), o, 'ORG_MEMBER'), (test.id(t || ' bob'), o, 'ORG_MEMBER'), (test.id('both'), o, 'ORG_MEMBER');
    INSERT INTO console_session (id, person_id, mac, pepper_version, created_at, used_at, verified_at, expires_at, address, browser) VALUES
        (test.named(t || ' session'), test.id(t || ' ada'), '\x71', 1, now() - interval '1 hour', now() - interval '5 minutes', now() - interval '1 hour', now() + interval '1 hour', '192.0.2.1', t),
        (test.named(t || ' session new'), test.id(t || ' ada'), '\x72', 1, now(), now(), now(), now() + interval '12 hours', '192.0.2.2', ''),
        (test.named(t || ' session idle'), test.id(t || ' ada'), '\x73', 1, now() - interval '1 hour', now() - interval '31 minutes', now() - interval '1 hour', now() + interval '1 hour', '192.0.2.1', t),
        (test.named(t || ' session over'), test.id(t || ' ada'), '\x74', 1, now() - interval '12 hours', now() - interval '5 minutes', now() - interval '1 hour', now() - interval '1 minute', '192.0.2.1', t);
    INSERT INTO device_claim (session_id, person_id, user_code, tries, claimed_at, state, device, host, address, asked_at) VALUES
        (test.id(t || ' session'), test.id(t || ' ada'), t, 2, now() - interval '1 minute', 'FOUND', sha256(t::bytea), 'host', '192.0.2.7', now() - interval '2 minutes'),
        (test.id(t || ' session idle'), test.id(t || ' ada'), t || ' idle', 1, now() - interval '11 minutes', 'FOUND', sha256((t || ' idle')::bytea), 'host', '192.0.2.7', now() - interval '11 minutes');
    INSERT INTO passkey (id, person_id, credential, public_key, counter, name, created_at) VALUES (test.named(t || ' passkey'), test.id(t || ' ada'), t::bytea, '\x75', 7, 'key', now() - interval '1 day'),
        (test.named(t || ' passkey uncounted'), test.id(t || ' ada'), (t || '0')::bytea, '\x76', 0, 'key', now() - interval '1 day');
    INSERT INTO enrolment (person_id, mac, pepper_version, created_at, expires_at) VALUES (test.id(t || ' bob'), sha256((t || ' bob')::bytea), 1, now() - interval '1 hour', now() + interval '1 hour'),
        (test.id(t || ' ada'), sha256((t || ' ada')::bytea), 1, now() - interval '2 hours', now() + interval '1 hour');
    INSERT INTO member_name VALUES (o, test.id('both'), t, 'Both', 'NO'), (o, test.id(t || ' ada'), 'Ada', t, 'NO');
    INSERT INTO team (id, org_id, name, created_at) VALUES (test.named(t || ' team'), o, 'team', now() - interval '2 days'), (test.named(t || ' team other'), o, 'other', now() - interval '1 day');
    INSERT INTO team_member (team_id, org_id, person_id) VALUES (test.id(t || ' team'), o, test.id('both')), (test.id(t || ' team'), o, test.id(t || ' ada')), (test.id(t || ' team other'), o, test.id('both')),
        (test.id(t || ' team other'), o, test.id(t || ' bob')), (test.id(t || ' team other'), o, test.id(t || ' ada'));
    INSERT INTO role_mapping (id, org_id, external_group) VALUES (test.named(t || ' mapping other'), o, 'g2'), (test.named(t || ' mapping'), o, 'g1');
    INSERT INTO role_mapping_role (mapping_id, org_id, role) VALUES (test.id(t || ' mapping'), o, 'ORG_OWNER'), (test.id(t || ' mapping other'), o, 'ORG_MEMBER');
    INSERT INTO federated_member (org_id, person_id, provider_id, external_groups, issued_at, signed_in_at) VALUES
        (o, test.id('both'), test.id(t || ' provider'), '{g1}', now() - interval '1 hour', now() - interval '1 hour'), (o, test.id(t || ' ada'), test.id(t || ' provider'), '{g2}', now() - interval '1 hour', now());
    INSERT INTO invitation (id, org_id, username, mac, pepper_version, inviter_name, created_at, expires_at, accepted_at, sealed_token, mail_due_at, mail_tries) VALUES
        (test.named(t || ' invitation'), o, 'Guest@example.test', sha256(t::bytea || '1'), 1, t, now() - interval '1 hour', now() + interval '1 day', NULL, '\x61', now() - interval '1 minute', 2),
        (test.named(t || ' invitation other'), o, 'other@example.test', sha256(t::bytea || '2'), 1, t, now() - interval '2 hours', now() + interval '1 day', NULL, '\x62', now() + interval '1 minute', 2),
        (test.named(t || ' invitation accepted'), o, 'guest@example.test', sha256(t::bytea || '3'), 1, t, now() - interval '99 days', now() - interval '69 days', now() - interval '98 days', '\x63', now() - interval '1 minute', 2),
        (test.named(t || ' invitation expired'), o, 'late@example.test', sha256(t::bytea || '4'), 1, t, now() - interval '3 days', now() - interval '1 day', NULL, '\x64', now() - interval '1 minute', 2);
    INSERT INTO invitation_role (invitation_id, org_id, role) SELECT i2.id, o, 'ORG_MEMBER' FROM invitation i2 WHERE i2.org_id = o;
    INSERT INTO invitation_count VALUES (o, (now() AT TIME ZONE 'UTC')::date, 4);
    INSERT INTO webhook (id, org_id, url, description, event_types, enabled, secret, created_at, delivered_seq, next_try_at, lease_epoch, lease_until, paused_at, failures, failing_since) VALUES
        (test.named(t || ' hook'), o, 'https://hook', t, '{T1}', true, '\x71', now() - interval '2 days', 2, now() - interval '1 minute', 6, NULL, NULL, 2, now() - interval '1 hour'),
        (test.named(t || ' hook held'), o, 'https://hook', t, NULL, true, '\x72', now() - interval '1 day', 2, now() - interval '2 minutes', 6, now() + interval '1 minute', NULL, 0, NULL),
        (test.named(t || ' hook paused'), o, 'https://hook', t, NULL, true, '\x73', now(), 2, now() - interval '3 minutes', 6, NULL, now() - interval '1 hour', 9, now() - interval '9 days'),
        (test.named(t || ' hook off'), o, 'https://hook', t, NULL, false, '\x74', now(), 2, now() - interval '3 minutes', 6, NULL, NULL, 0, NULL),
        (test.named(t || ' hook early'), o, 'https://hook', t, NULL, true, '\x75', now(), 2, now() + interval '1 minute', 6, NULL, NULL, 0, NULL);
    INSERT INTO event_chain VALUES (o, 10, '\x76', 1500000000000);
    INSERT INTO event (org_id, seq, id, type, created_at, document, hash) VALUES
        (o, 1, test.named(t || ' event'), CASE t WHEN 'alfa' THEN 'T1' ELSE 'T2' END, test.moment() - interval '60 minutes', '{"of": "' || t || '"}', '\x81'), (o, 2, test.named(t || ' event other'), 'T2', test.moment() - interval '50 minutes', '{"of": "' || t || '"}', '\x82');
    INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES
        (o, 'resourcePolicy', test.named(t || ' policy'), 'policy', o, jsonb_build_object('name', 'policy', 'of', t, 'policies', jsonb_build_array(jsonb_build_object('id', 'r1', 'body', '$.paused == true'), jsonb_build_object('id', 'r0', 'body', '$.size == "M10" && $.paused == true')))),
        (o, 'resourcePolicy', test.named(t || ' policy other'), 'other', o, jsonb_build_object('name', 'other', 'of', t, 'policies', jsonb_build_array(jsonb_build_object('id', 'r2', 'body', '$.size == "M20"'))));
    INSERT INTO cost_report (token, org_id, content, expires_at) VALUES (md5(t) || md5('1'), o, t, now() + interval '1 hour'), (md5(t) || md5('2'), o, t, now() - interval '1 hour');
    INSERT INTO invoice (id, org_id, began_at, ends_at, created_at, updated_at) VALUES (test.named(t || ' invoice'), o, '2020-01-01 00:00+00', '2020-02-01 00:00+00', '2020-01-01 00:00+00', '2020-02-01 00:00+00');
END $$;

-- ---- What a project has ----
CREATE FUNCTION test.cluster(t text, p text, p_name text, p_paused boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    c bytea := test.named(p || ' ' || p_name);
    v_member bytea;
    n int := 0;
    v_block text;
BEGIN
    INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version, parameters, goal_generation, etcd_group, etcd_user, created_at)
        VALUES (c, test.id(t || ' org'), test.id(p || ' project'), p_name, substr(md5(p || p_name), 1, 6), '17', '{"shared_preload_libraries": "a,b"}', 4,
                CASE p_name WHEN 'orders' THEN 'eu' ELSE 'us' END, CASE p_name WHEN 'second' THEN 'u' END, now() - interval '2 days');
    INSERT INTO resource (scope, kind, id, name, org_id, document, state, generation, observed_generation, created_at)
        VALUES (test.id(p || ' project'), 'cluster', c, p_name, test.id(t || ' org'), jsonb_build_object('of', p, 'paused', p_paused, 'size', 'M10', 'processArgs', jsonb_build_object('x', p || ' ' || p_name)), 'IDLE', 4, 4, now() - interval '2 days');
    INSERT INTO authority (id, purpose, project_id, org_id, cluster_id, certificate, key, not_after)
        VALUES (test.named(p || ' ' || p_name || ' authority'), 'CLUSTER', test.id(p || ' project'), test.id(t || ' org'), c, 'cluster of ' || p, 'k', now() + interval '1 day');
    WHILE n < 2 LOOP
        v_member := test.named(p || ' ' || p_name || ' member' || n);
        INSERT INTO cluster_member (id, org_id, cluster_id, host_id, ordinal, desired, size, cpus, memory_mb, disk_gb, priority, unit, role, running, timeline, lag_bytes, version, applied_goal, applied_access, reported_at)
            VALUES (v_member, test.id(t || ' org'), c, test.id('h' || n + 1), n, 'RUNNING', 'M10', 0.5, 1024, 10, 7 - n, 'active', CASE n WHEN 0 THEN 'PRIMARY' ELSE 'REPLICA' END, 'streaming', 1, 0, '17.6', 4, 1, now() - interval '1 minute');
        v_block := '10.' || n + 1 || '.' || get_byte(c, 3) || '.' || get_byte(c, 4);
        INSERT INTO host_address (address, private_address, prefix, host_id, member_id) VALUES (v_block::inet, ('172.' || substr(v_block, 4))::inet, 16, test.id('h' || n + 1), v_member);
        INSERT INTO certificate (serial, authority, kind, owner, not_after) VALUES (encode(v_member, 'hex'), test.id(p || ' ' || p_name || ' authority'), 'MEMBER', encode(v_member, 'hex'), now() + interval '1 day');
        INSERT INTO dns_record (name, type, content, org_id, cluster_id) VALUES ('m' || n || '.' || substr(md5(p || p_name), 1, 6), 'A', v_block, test.id(t || ' org'), c),
            ('_pg.' || substr(md5(p || p_name), 1, 6), 'SRV', '0 0 5432 m' || n, test.id(t || ' org'), c);
        INSERT INTO host_task (id, org_id, host_id, member_id, kind, parameters, outcome, created_at, finished_at) VALUES
            (test.named(p || ' ' || p_name || ' task' || n), test.id(t || ' org'), test.id('h' || n + 1), v_member, 'SWITCHOVER', '{"purpose": "x"}', NULL, now() - interval '3 minutes', NULL),
            (test.named(p || ' ' || p_name || ' task done' || n), test.id(t || ' org'), test.id('h' || n + 1), v_member, 'SWITCHOVER', '{"purpose": "x"}', 'DONE', now() - interval '99 days', now() - interval '99 days');
        -- What its advisor said last: an index that would help; one that nothing uses on both members, one only on this; one that is covered; a table without a key.
        INSERT INTO member_advice (member_id, project_id, cluster_id, name, address, looked_at, advised_at, cluster_size, advice)
            VALUES (v_member, test.id(p || ' project'), c, 'm' || n || '.' || p || '-' || p_name, v_block, now() - interval '30 seconds', now() - interval '1 minute', 2, jsonb_build_object(
                'isPrimary', n = 0, 'problem', '', 'indexes', CASE n WHEN 0 THEN jsonb_build_array(jsonb_build_object('database', 'shop', 'schema', 'public', 'table', 'orders', 'keys', '["+customer", "-day"]'::jsonb,
                    'bytes', 8192, 'rowBytes', 60, 'gains', jsonb_build_array(jsonb_build_object('hash', 'AAAAAAAAAAAAAAAA', 'database', 'shop', 'before', 900.5, 'after', 9, 'calls', 10, 'ms', 1000)))) ELSE '[]' END,
                'unused', (SELECT jsonb_agg(jsonb_build_object('database', 'shop', 'schema', 's', 'table', 't', 'name', i, 'keys', '["+a"]'::jsonb, 'scans', 0, 'bytes', 16384, 'since', 1577836800000, 'isProven', true))
                           FROM unnest(CASE n WHEN 0 THEN '{nobody, replica}' ELSE '{nobody}' END::text[]) i),
                'redundant', CASE n WHEN 0 THEN jsonb_build_array(jsonb_build_object('database', 'shop', 'schema', 'public', 'table', 't', 'name', 'covered', 'keys', '["+b"]'::jsonb, 'scans', 5, 'bytes', 8192,
                    'since', 1577836800000, 'isProven', false)) ELSE '[]' END,
                'tables', CASE n WHEN 0 THEN jsonb_build_array(jsonb_build_object('database', 'shop', 'table', 'notes', 'trigger', 'NO_PRIMARY_KEY', 'description', p)) ELSE '[]' END));
        INSERT INTO query_shape (cluster_id, project_id, hash, database, text, command, namespace, first_seen, last_seen)
            SELECT c, test.id(p || ' project'), s.hash, 'shop', 'shape of ' || p || ' ' || s.hash, s.command, s.namespace, now() - s.age::interval, now() - s.age::interval
            FROM (VALUES ('AAAAAAAAAAAAAAAA', 'SELECT', 'shop.orders', '1 minute'), ('BBBBBBBBBBBBBBBB', 'UPDATE', NULL, '9 days')) s (hash, command, namespace, age) WHERE n = 0;
        INSERT INTO query_cost (member_id, project_id, cluster_id, since, hash, database, calls, ms, rows, bytes)
            SELECT v_member, test.id(p || ' project'), c, now() - s.age::interval, s.hash, 'shop', 10, 40 + n, 30, 8192
            FROM (VALUES ('AAAAAAAAAAAAAAAA', '5 minutes'), ('AAAAAAAAAAAAAAAA', '2 hours'), ('BBBBBBBBBBBBBBBB', '9 days')) s (hash, age);
        INSERT INTO slow_query (member_id, project_id, at, ms, hash, database, is_primary)
            SELECT v_member, test.id(p || ' project'), now() - s.age::interval, 1500.25, 'AAAAAAAAAAAAAAAA', 'shop', n = 0 FROM (VALUES ('5 minutes'), ('3 days')) s (age);
        n := n + 1;
    END LOOP;
END $$;

CREATE FUNCTION test.job(t text, p text, p_name text, p_subject text, p_kind text, p_state text, p_step text, p_changes jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO job (id, org_id, project_id, kind, subject, subject_name, state, step, step_number, step_count, lease_epoch, created_at, started_at, step_started_at, finished_at, next_run_at, step_deadline_at, overdue_at, lease_until, failures, waits_for)
    SELECT test.named(p || ' job ' || p_name), test.id(t || ' org'), test.id(p || ' project'), p_kind, test.id(p || ' ' || p_subject), p_subject, p_state, p_step, 1, 3, 7, now() - interval '1 hour',
           CASE WHEN p_state <> 'QUEUED' THEN now() - interval '50 minutes' END, CASE WHEN p_state <> 'QUEUED' THEN now() - interval '40 minutes' END, now() + (p_changes ->> 'finished')::interval,
           now() + coalesce(p_changes ->> 'next', '-1 minute')::interval, now() + (p_changes ->> 'deadline')::interval, now() + (p_changes ->> 'overdue')::interval, now() + (p_changes ->> 'lease')::interval,
           coalesce((p_changes ->> 'failures')::int, 0), p_changes ->> 'waits';
    INSERT INTO job_history (job_id, number, org_id, step, try, outcome, worker, at)
    SELECT test.id(p || ' job ' || p_name), n, test.id(t || ' org'), 'step' || n, n, 'DONE', p, now() - n * interval '1 minute' FROM generate_series(1, 2) n
$$;

-- Of each cluster an old stanza that is only read, and the open one with two seats. Three snapshots: one that is shown, one that is hidden, one
-- that is asked for.
CREATE FUNCTION test.backup(t text, p text, p_name text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    b text := p || ' ' || p_name;
    o bytea := test.id(t || ' org');
    j bytea := test.id(p || ' project');
    n int := 0;
BEGIN
    INSERT INTO backup_stanza (id, org_id, project_id, cluster_id, cluster_name, incarnation, name, major_version, state, cipher, created_at, frozen_at)
        SELECT test.named(b || ' stanza' || s.n), o, j, test.id(b), p_name, s.n, substr(md5(p || p_name), 1, 6) || '-' || s.n, '17', s.state, '\x0c', now() - (3 - s.n) * interval '1 day', s.frozen_at
        FROM (VALUES (1, 'FROZEN', now() - interval '1 day'), (2, 'OPEN', NULL)) s (n, state, frozen_at);
    INSERT INTO stanza_seat (id, org_id, stanza_id, host_id, ordinal, reserved_gb, desired, unit, received_lsn, timeline, lag_bytes, lag_ms, window_from, window_to, used_bytes, reported_at)
        SELECT test.named(b || ' seat' || s.n), o, test.id(b || ' stanza' || s.stanza), test.id(s.host), s.ordinal, 10, s.desired, s.unit, '0/5000148', 2, 0, 320, now() - interval '1 day', now() - interval '1 second', 1000 * s.n, now() - interval '5 seconds'
        FROM (VALUES (0, 1, 'r1', 0, 'FROZEN', 'inactive'), (1, 2, 'r1', 0, 'RUNNING', 'active'), (2, 2, 'r2', 1, 'RUNNING', 'active')) s (n, stanza, host, ordinal, desired, unit);
    WHILE n < 3 LOOP
        INSERT INTO wal_span (seat_id, ordinal, org_id, from_lsn, to_lsn, from_timeline, to_timeline, from_at, to_at, ended_by) VALUES
            (test.id(b || ' seat' || n), 0, o, '0/1000000', '0/2000000', 1, 1, now() - interval '1 day', now() - interval '20 hours', 'a gap'),
            (test.id(b || ' seat' || n), 1, o, '0/3000000', '0/5000148', 1, 2, now() - interval '19 hours', now() - interval '1 second', NULL);
        n := n + 1;
    END LOOP;
    INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT j, 'backupSchedule', test.named(b || ' schedule'), encode(test.id(b), 'hex'), o, jsonb_build_object(
        'clusterId', encode(test.id(b), 'hex'), 'clusterName', p_name, 'referenceHourOfDay', 3, 'referenceMinuteOfHour', 17, 'restoreWindowDays', 2,
        'policies', jsonb_build_array(jsonb_build_object('id', encode(test.named(b || ' policy'), 'hex'), 'policyItems', jsonb_build_array(jsonb_build_object(
            'id', encode(test.named(b || ' item'), 'hex'), 'frequencyType', 'daily', 'frequencyInterval', 1, 'retentionUnit', 'days', 'retentionValue', 7)))), 'extraRetentionSettings', '[]'::jsonb);
    INSERT INTO snapshot (id, org_id, project_id, cluster_id, stanza_id, origin, frequency, policy_items, description, state, created_at, finished_at, expires_at, protected_until, hidden_at, server_version, size_bytes, storage_bytes)
        SELECT test.named(b || ' snapshot ' || s.name), o, j, test.id(b), test.id(b || ' stanza2'), s.origin, s.frequency, CASE s.origin WHEN 'SCHEDULED' THEN ARRAY[test.named(b || ' item')] ELSE '{}' END, CASE s.origin WHEN 'ON_DEMAND' THEN 'of ' || p END,
               s.state, now() - s.age::interval, CASE s.state WHEN 'COMPLETED' THEN now() - s.age::interval + interval '1 minute' END, now() + s.stays::interval, now() + s.protected::interval, now() + s.hidden::interval, '17.6', 4000, 1000
        FROM (VALUES ('shown', 'SCHEDULED', 'daily', 'COMPLETED', '3 hours', '1 day', '1 hour', NULL), ('hidden', 'SCHEDULED', 'hourly', 'COMPLETED', '2 days', '-1 hour', NULL, '-1 hour'),
                     ('expired', 'SCHEDULED', 'hourly', 'COMPLETED', '1 day', '-1 minute', NULL, NULL), ('wanted', 'ON_DEMAND', NULL, 'QUEUED', '1 minute', '3 days', NULL, NULL)) s (name, origin, frequency, state, age, stays, protected, hidden);
    INSERT INTO snapshot_copy (snapshot_id, seat_id, org_id, label, type, needs, timeline, start_lsn, stop_lsn, started_at, finished_at, size_bytes, delta_bytes, state)
        SELECT test.id(b || ' snapshot ' || s.name), test.id(b || ' seat1'), o, s.label, s.type, s.needs::text[], 1, '0/4000000', '0/4000100', now() - interval '3 hours', now() - interval '3 hours' + interval '1 minute', 4000, 1000, 'COMPLETED'
        FROM (VALUES ('shown', '20201116-031700F', 'FULL', '{}'), ('hidden', '20201116-031700F_20201116-091700I', 'INCR', '{20201116-031700F}')) s (name, label, type, needs);
    -- A restore that is over, and one of which its first member speaks.
    INSERT INTO restore_job (id, org_id, project_id, cluster_id, cluster_name, stanza, seat_id, host_id, label, point, snapshot_id, snapshot_at, point_at, is_last, target_project_id, target_id, target_name,
                             gate_port, phase, first_member, state, created_at, restored_at, finished_at, reached_at, reached_lsn)
        SELECT test.named(b || ' restore ' || s.name), o, j, test.id(b), p_name, substr(md5(p || p_name), 1, 6) || '-2', test.id(b || ' seat2'), test.id('r2'), '20201116-031700F', s.point,
               CASE s.point WHEN 'SNAPSHOT' THEN test.id(b || ' snapshot shown') END, CASE s.point WHEN 'SNAPSHOT' THEN now() - interval '3 hours' END, CASE s.point WHEN 'TIME' THEN '2020-01-01 00:00+00'::timestamptz END, s.point = 'TIME', j, test.id(b), p_name,
               s.port + (SELECT count(*) FROM restore_job), s.phase, (SELECT m.id FROM cluster_member m WHERE m.cluster_id = test.id(b) AND s.phase IS NOT NULL ORDER BY m.ordinal LIMIT 1), s.state,
               now() - s.age::interval, now() - s.ended::interval, now() - s.ended::interval, now() - s.ended::interval, CASE WHEN s.ended IS NOT NULL THEN '0/4000150'::pg_lsn END
        FROM (VALUES ('over', 'SNAPSHOT', NULL::int, NULL, 'DONE', '41 days', '40 days'), ('running', 'TIME', 27100, 'BUILD', 'RUNNING', '5 minutes', NULL)) s (name, point, port, phase, state, age, ended);
    INSERT INTO restore_member (restore_id, member_id, org_id, phase, state, done_bytes, total_bytes, reached_lsn, reached_at, reported_at)
        SELECT r.id, r.first_member, o, 'BUILD', 'RESTORED', 3000, 4000, '0/4000150', now() - interval '2 hours', now() - interval '5 seconds' FROM restore_job r WHERE r.cluster_id = test.id(b) AND r.first_member IS NOT NULL;
    -- A drill of the old stanza that passed and was told, one of the open stanza that failed and was not, and one that waits for its turn.
    INSERT INTO drill (id, org_id, project_id, cluster_id, stanza_id, seat_id, origin, state, problem, requested_at, given_at, started_at, finished_at, told_at, label, recovery_point, rto_ms, data_bytes, server_version, phases, checks)
        SELECT test.named(b || ' drill ' || s.name), o, j, test.id(b), test.id(b || ' stanza' || s.stanza), test.id(b || ' seat' || s.seat), s.origin, s.state, s.problem, now() - s.age::interval, now() - s.ended::interval - interval '5 minutes',
               now() - s.ended::interval - interval '4 minutes', now() - s.ended::interval, now() - s.told::interval, '20201116-031700F', now() - s.ended::interval - interval '5 minutes', 4000, 9000, '17.6',
               '[{"name": "restore", "startedAt": "2020-01-01T00:00:00Z", "ms": 7}]', '[{"name": "amcheck", "database": "shop", "result": "PASSED", "sentence": "All.", "tables": null, "rows": null}]'
        FROM (VALUES ('passed', 1, 0, 'SCHEDULED', 'PASSED', NULL, '20 hours', '19 hours', '19 hours'), ('failed', 2, 1, 'ON_DEMAND', 'FAILED', 'It is false.', '10 hours', '9 hours', NULL),
                     ('queued', 2, NULL, 'SCHEDULED', 'QUEUED', NULL, '1 hour', NULL, NULL)) s (name, stanza, seat, origin, state, problem, age, ended, told);
    -- A bucket; an export that is done and was told, one that failed and was not, and one that waits for its turn.
    INSERT INTO resource (scope, kind, id, name, org_id, document) SELECT j, 'backupExportBucket', i, encode(i, 'hex'), o, '{"bucketName": "b", "serviceUrl": "https://s", "region": "r", "internal": {"secrets": "c2VhbGVk"}}'
        FROM (SELECT test.named(b || ' bucket') AS i) s;
    INSERT INTO export_job (id, org_id, project_id, cluster_id, stanza_id, seat_id, snapshot_id, snapshot_at, bucket_id, prefix, state, code, problem, tables_done, tables_total, created_at, given_at, started_at, finished_at, told_at)
        SELECT test.named(b || ' export ' || s.name), o, j, test.id(b), test.id(b || ' stanza2'), test.id(b || ' seat' || s.seat), test.id(b || ' snapshot shown'), '2020-01-01 00:00+00', test.id(b || ' bucket'), 'exported_snapshots/' || s.name, s.state,
               CASE s.state WHEN 'FAILED' THEN 'EXPORT_BUCKET_REFUSED' END, CASE s.state WHEN 'FAILED' THEN '403.' END, s.done, s.total, now() - s.age::interval, now() - s.ended::interval - interval '5 minutes', now() - s.ended::interval - interval '4 minutes',
               now() - s.ended::interval, now() - s.told::interval
        FROM (VALUES ('done', 1, 'SUCCEEDED', 3, 3, '20 hours', '19 hours', '19 hours'), ('failed', 1, 'FAILED', 1, 3, '10 hours', '9 hours', NULL),
                     ('queued', NULL, 'QUEUED', NULL, NULL, '1 hour', NULL, NULL)) s (name, seat, state, done, total, age, ended, told);
END $$;

CREATE FUNCTION test.alert(t text, p text, p_name text, p_config text, p_cluster text, p_status text, p_lasts boolean, p_close interval, p_resolved interval) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO alert (id, org_id, project_id, config_id, event_id, event_type, severity, cluster, status, lasts, close_at, created_at, updated_at, resolved_at)
        VALUES (test.named(p || ' ' || p_name), test.id(t || ' org'), test.id(p || ' project'), test.id(p || ' ' || p_config), test.named(p || ' event of ' || p_name), 'T1', 'WARNING', p_cluster, p_status, p_lasts, now() + p_close,
                now() - interval '1 hour' - length(p_name) * interval '1 minute', now() - interval '1 hour', now() + p_resolved);
    INSERT INTO alert_notification (id, org_id, project_id, alert_id, notifier_id, about, state, created_at, due_at, next_try_at, tries, lease_epoch, lease_until) VALUES
        (test.named(p || ' ' || p_name || ' note'), test.id(t || ' org'), test.id(p || ' project'), test.id(p || ' ' || p_name), test.named('pager'), 'OPENED', 'PENDING', now(), now() - interval '1 hour', now() - interval '1 minute', 1, 8, NULL),
        (test.named(p || ' ' || p_name || ' note sent'), test.id(t || ' org'), test.id(p || ' project'), test.id(p || ' ' || p_name), test.named('mail'), 'OPENED', 'SENT', now(), now() - interval '1 hour', now() - interval '2 minutes', 1, 8, NULL),
        (test.named(p || ' ' || p_name || ' note held'), test.id(t || ' org'), test.id(p || ' project'), test.id(p || ' ' || p_name), test.named('chat'), 'REMINDER', 'PENDING', now(), now() - interval '1 hour', now() - interval '3 minutes', 1, 8, now() + interval '1 minute'),
        (test.named(p || ' ' || p_name || ' note early'), test.id(t || ' org'), test.id(p || ' project'), test.id(p || ' ' || p_name), test.named('desk'), 'OPENED', 'PENDING', now(), now() + interval '1 hour', now() + interval '1 hour', 0, 8, NULL);
END $$;

CREATE FUNCTION test.project(t text, k int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text := t || k;
    o bytea := test.id(t || ' org');
    j bytea := test.named(p || ' project');
    n int;
BEGIN
    INSERT INTO project (id, org_id, name, settings, created_at) VALUES (j, o, 'project' || k, jsonb_build_object('tags', jsonb_build_array(p)), now() - interval '8 days');
    INSERT INTO project_access VALUES (j, o, 5, substr(md5(p), 1, 5));
    INSERT INTO project_limit (project_id, org_id, name, value) VALUES (j, o, 'project.users', 1), (j, o, 'project.clusters', 2);
    INSERT INTO limit_override (owner, set_name, capacity, refill) VALUES (j, 'S17', 20 + k, 1);
    INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (test.id(t || ' account'), o, j, 'GROUP_OWNER'), (test.id(t || ' key'), o, j, 'GROUP_OWNER'),
        (test.id(t || ' ada'), o, j, 'GROUP_OWNER'), (test.id('both'), o, j, 'GROUP_READ_ONLY');
    INSERT INTO team_grant (team_id, org_id, project_id, role) VALUES (test.id(t || ' team'), o, j, 'GROUP_OWNER'), (test.id(t || ' team'), o, j, 'GROUP_READ_ONLY');
    IF k = 2 THEN -- what the first project has not
        INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (test.id(t || ' account other'), o, j, 'GROUP_READ_ONLY'), (test.id(t || ' key other'), o, j, 'GROUP_READ_ONLY');
        INSERT INTO team_grant (team_id, org_id, project_id, role) VALUES (test.id(t || ' team other'), o, j, 'GROUP_READ_ONLY');
        INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (j, 'databaseUser', test.named(p || ' user lone'), 'lone', o, jsonb_build_object('of', p, 'roles', '[]'::jsonb)),
            (j, 'customRole', test.named(p || ' role lone'), 'lone', o, jsonb_build_object('of', p, 'inheritedRoles', '[]'::jsonb));
    END IF;
    INSERT INTO invitation_role (invitation_id, org_id, project_id, role) VALUES (test.id(t || ' invitation'), o, j, 'GROUP_OWNER'), (test.id(t || ' invitation'), o, j, 'GROUP_READ_ONLY'), (test.id(t || ' invitation other'), o, j, 'GROUP_OWNER');
    INSERT INTO role_mapping_role (mapping_id, org_id, project_id, role) VALUES (test.id(t || ' mapping'), o, j, 'GROUP_OWNER'), (test.id(t || ' mapping other'), o, j, 'GROUP_OWNER');
    INSERT INTO network_container (id, org_id, project_id, provider, region, block, created_at) VALUES
        (test.named(p || ' container'), o, j, 'P', 'A', ('10.' || get_byte(j, 5) || '.' || get_byte(j, 6) || '.0/25')::cidr, now() - interval '1 hour'),
        (test.named(p || ' container other'), o, j, 'P', 'B', ('10.' || get_byte(j, 5) || '.' || get_byte(j, 6) || '.128/25')::cidr, now());
    INSERT INTO authority (id, purpose, project_id, org_id, certificate, key, not_after) VALUES (test.named(p || ' authority'), 'PROJECT', j, o, 'project ' || p, 'k', now() + interval '1 day');
    INSERT INTO certificate (serial, authority, kind, owner, created_at, not_after, revoked_at) VALUES
        (p || '-1', test.id(p || ' authority'), 'USER', 'x', now() - interval '3 hours', now() + interval '1 hour', NULL), (p || '-2', test.id(p || ' authority'), 'USER', 'x', now() - interval '4 hours', now() + interval '2 hours', NULL),
        (p || '-3', test.id(p || ' authority'), 'USER', 'x', now() - interval '5 hours', now() + (2 + k) * interval '1 hour', now()), (p || '-4', test.id(p || ' authority'), 'USER', 'x', now() - interval '9 days', now() - interval '1 hour', NULL),
        (p || '-5', test.id(p || ' authority'), 'USER', 'y', now() - interval '3 hours', now() + interval '4 hours', NULL), (p || '-6', test.id(p || ' authority'), 'MEMBER', 'x', now() - interval '3 hours', now() + interval '5 hours', NULL),
        (p || '-7', test.id(p || ' authority'), 'USER', 'z', now() - interval '3 hours', now(), NULL);
    PERFORM test.cluster(t, p, 'orders', true), test.cluster(t, p, 'second', false);
    INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (j, 'projectSettings', test.named(p || ' settings'), '', o,
        CASE k WHEN 1 THEN '{"isOne": false, "isOn": true}' ELSE '{"isTwo": false, "alsoTwo": false}' END::jsonb);
    PERFORM test.backup(t, p, 'orders'), test.backup(t, p, 'second');
    -- Services of private endpoints: one with an endpoint, one that goes and has one that goes.
    INSERT INTO private_endpoint_service (id, org_id, project_id, provider, region, number, host_id, address, created_at, removed_at, state)
        SELECT test.named(p || ' service ' || s.region), o, j, 'P', s.region, s.number, test.id(s.host),
               (SELECT a.address FROM host_address a WHERE a.host_id = test.id(s.host) AND NOT EXISTS (SELECT FROM private_endpoint_service e WHERE e.address = a.address)
                ORDER BY a.address LIMIT 1), now() - interval '1 hour', s.removed_at, 'SERVING'
        FROM (VALUES ('A', 0, 'x1', NULL), ('B', 1, 'x2', now())) s (region, number, host, removed_at);
    INSERT INTO private_endpoint (service_id, org_id, name, address, access_generation, created_at, removed_at, is_open) VALUES
        (test.id(p || ' service A'), o, 'in', '10.77.0.1', 5, now() - interval '1 hour', NULL, true),
        (test.id(p || ' service B'), o, 'out', '10.77.0.2', 5, now() - interval '1 hour', now(), true);
    INSERT INTO private_endpoint_port (service_id, cluster_id, org_id, ordinal, port) VALUES (test.id(p || ' service A'), test.id(p || ' orders'), o, 0, 1024);
    -- Peerings: one that a host has an end of, and one that goes.
    INSERT INTO network_peer (id, org_id, project_id, container_id, provider, region, port, public_key, endpoint_address, endpoint_port, blocks, desired, created_at)
        SELECT test.named(p || s.name), o, j, test.id(p || s.container), 'P', s.region, 51820 + get_byte(j, 5) * 8 + get_byte(j, 6) % 8, 'key of ' || p,
               s.endpoint::inet, s.endpoint_port, s.blocks::cidr[], s.desired, s.created_at
        FROM (VALUES (' peer', ' container', 'A', '192.0.2.1', 51820, '{192.168.7.0/24}', 'RUNNING', now() - interval '1 hour'),
                     (' peer other', ' container other', 'B', NULL, NULL, '{192.168.8.0/24,192.168.9.0/24}', 'REMOVED', now()))
             s (name, container, region, endpoint, endpoint_port, blocks, desired, created_at);
    INSERT INTO network_peer_gateway (peer_id, host_id, state, public_key, problem, handshake_at) VALUES
        (test.id(p || ' peer'), test.id('h1'), 'OPEN', 'key of a host', NULL, now() - interval '1 minute'),
        (test.id(p || ' peer other'), test.id('h2'), 'WAITING', 'key of a host', 'Why.', NULL);
    INSERT INTO resource (scope, kind, id, name, org_id, document, state, access_generation) VALUES
        (j, 'databaseUser', test.named(p || ' user'), 'x', o, jsonb_build_object('of', p, 'verifier', 'v', 'roles', CASE p WHEN 'alfa1' THEN '[{"roleName": "r"}]' ELSE '[{"roleName": "q"}]' END::jsonb, 'deleteAfterDate', api_date(now() - interval '1 hour')), '', 5),
        (j, 'databaseUser', test.named(p || ' user other'), 'y', o, jsonb_build_object('of', p, 'roles', CASE p WHEN 'alfa1' THEN '[{"roleName": "q"}]' ELSE '[{"roleName": "r"}]' END::jsonb, 'deleteAfterDate', api_date(now() + interval '1 hour')), '', 5),
        (j, 'supportSession', test.named(p || ' support'), 'reeve-support-1', o, jsonb_build_object('of', p, 'verifier', 'v', 'roles', '["clusterMonitor"]'::jsonb, 'clusterName', 'orders', 'clusterId', encode(test.id(p || ' orders'), 'hex'), 'from', '192.0.2.1/32', 'deleteAfterDate', api_date(now() + interval '1 hour')), '', 5),
        (j, 'supportSession', test.named(p || ' support over'), 'reeve-support-2', o, jsonb_build_object('of', p, 'verifier', 'v', 'roles', '["clusterMonitor"]'::jsonb, 'clusterName', 'second', 'clusterId', encode(test.id(p || ' second'), 'hex'), 'from', '192.0.2.1/32', 'deleteAfterDate', api_date(now() - interval '3 hours')), '', 5),
        (j, 'customRole', test.named(p || ' role'), 'r', o, jsonb_build_object('of', p, 'inheritedRoles', '[]'::jsonb), '', 5), (j, 'customRole', test.named(p || ' role other'), 's', o, jsonb_build_object('of', p, 'inheritedRoles', '[{"role": "r"}]'::jsonb), '', 5),
        (j, 'accessListEntry', test.named(p || ' entry'), '10.0.0.0/8', o, jsonb_build_object('of', p, 'deleteAfterDate', api_date(now() - interval '2 hours')), '', 1), (j, 'accessListEntry', test.named(p || ' entry other'), '10.1.0.0/16', o, jsonb_build_object('of', p), '', 5),
        (j, 'alertConfig', test.named(p || ' config'), 'c1', o, jsonb_build_object('of', p, 'enabled', true, 'hidden', 'h', 'notifications', '[{"typeName": "PAGER"}]'::jsonb), '', NULL),
        (j, 'alertConfig', test.named(p || ' config other'), 'c2', o, jsonb_build_object('of', p, 'enabled', true, 'notifications', '[{"typeName": "MAIL", "key": "k"}]'::jsonb), '', NULL),
        (j, 'alertConfig', test.named(p || ' config off'), 'c3', o, jsonb_build_object('of', p, 'enabled', false, 'notifications', '[]'::jsonb), '', NULL),
        (j, 'logIntegration', test.named(p || ' log'), 'l1', o, jsonb_build_object('of', p, 'type', 'S3', 'logTypes', '["A"]'::jsonb, 'internal', '{"secrets": "s"}'::jsonb), '', NULL),
        (j, 'logIntegration', test.named(p || ' log other'), 'l2', o, jsonb_build_object('of', p, 'type', 'OTHER', 'logTypes', '["A"]'::jsonb), '', NULL), (j, 'logIntegration', test.named(p || ' log third'), 'l3', o, jsonb_build_object('of', p, 'type', 'OTHER', 'logTypes', '["A"]'::jsonb), '', NULL),
        (j, 'providerRole', test.named(p || ' r1'), 'r1', o, jsonb_build_object('of', p, 'serviceAssumedRoleExternalId', md5(p || ' r1')::uuid, 'iamAssumedRoleArn', 'arn:reeve:s3::us:role/taken', 'internal', jsonb_build_object('storeRole', encode(test.id('store role'), 'hex'))), '', NULL),
        (j, 'providerRole', test.named(p || ' r2'), 'r2', o, jsonb_build_object('of', p, 'serviceAssumedRoleExternalId', md5(p || ' r2')::uuid, 'internal', '{}'::jsonb), '', NULL),
        (j, 'outageSimulation', test.named(p || ' outage'), 'orders', o, jsonb_build_object('of', p, 'clusterName', 'orders', 'expirationDate', api_date(now() - interval '1 hour')), 'SIMULATING', NULL),
        (j, 'outageSimulation', test.named(p || ' outage other'), 'second', o, jsonb_build_object('of', p, 'clusterName', 'second', 'expirationDate', api_date(now() + interval '1 hour')), 'SIMULATING', NULL),
        (j, 'sampleDatasetLoad', test.named(p || ' load'), 'a', o, jsonb_build_object('of', p, 'clusterName', 'orders'), '', NULL), (j, 'sampleDatasetLoad', test.named(p || ' load other'), 'b', o, jsonb_build_object('of', p, 'clusterName', 'second'), '', NULL),
        (j, 'flexCluster', test.named(p || ' flex'), 'orders', o, jsonb_build_object('of', p), '', NULL),
        (j, 'thing', test.named(p || ' thing'), '', o, jsonb_build_object('of', p, 'hidden', 'h'), '', NULL), (j, 'thing', test.named(p || ' thing other'), 'orders', o, jsonb_build_object('of', p, 'n', 2, 'hidden', 'h'), '', NULL);
    INSERT INTO cluster (id, org_id, project_id, name, set_name, major_version) VALUES (test.named(p || ' bare'), o, j, 'bare', substr(md5(p || 'bare'), 1, 6), '17');
    FOR n IN 1 .. 4 LOOP
        PERFORM test.named(p || ' event' || n);
    END LOOP;
    INSERT INTO event_count_of_project VALUES (j, o, 4, NULL), (test.named(p || ' gone'), o, 4, now() - interval '2 days');
    INSERT INTO event (org_id, seq, id, project_id, project_seq, type, created_at, document, hash, cluster) SELECT o, 2 + k + 2 * (e.n - 1), test.id(p || ' event' || e.n), j, e.n, CASE e.n WHEN 2 THEN 'T2' ELSE 'T1' END,
        test.moment() - (45 - k - 4 * e.n) * interval '1 minute', '{"of": "' || p || '"}', '\x83', CASE e.n WHEN 1 THEN NULL WHEN 3 THEN 'second' ELSE 'orders' END FROM generate_series(1, 4) e (n);
    INSERT INTO alert_cursor VALUES (j, o, 3);
    PERFORM test.alert(t, p, 'alert', 'config', 'orders', 'OPEN', true, NULL, NULL), test.alert(t, p, 'alert other', 'config', 'second', 'TRACKING', true, NULL, NULL), test.alert(t, p, 'alert of none', 'config', NULL, 'OPEN', true, NULL, NULL),
        test.alert(t, p, 'alert moment', 'config', 'orders', 'OPEN', false, '-1 minute', NULL), test.alert(t, p, 'alert later', 'config other', 'orders', 'OPEN', false, '1 hour', NULL),
        test.alert(t, p, 'alert closed', 'config', 'orders', 'CLOSED', true, '-2 hours', '-99 days'), test.alert(t, p, 'alert elsewhere', 'config other', 'orders', 'TRACKING', true, NULL, NULL);
    PERFORM test.job(t, p, 'due', 'orders', 'cluster.change', 'QUEUED', 'plan', '{}'), test.job(t, p, 'next', 'orders', 'cluster.change', 'QUEUED', 'plan', '{}'), test.job(t, p, 'window', 'orders', 'cluster.move', 'QUEUED', 'wait-window', '{"deadline": "1 hour"}'),
        test.job(t, p, 'held', 'second', 'cluster.move', 'RUNNING', 'place', '{"lease": "1 minute", "deadline": "-1 minute", "failures": 1, "waits": "w"}'), test.job(t, p, 'lost', 'flex', 'cluster.change', 'RUNNING', 'place', '{"lease": "-1 minute", "failures": 1, "next": "1 minute"}'),
        test.job(t, p, 'late', 'flex', 'cluster.change', 'QUEUED', 'plan', '{"next": "1 hour", "deadline": "-1 minute", "overdue": "-1 minute"}'), test.job(t, p, 'failed', 'gone', 'cluster.change', 'FAILED', 'place', '{"finished": "-1 hour"}'),
        test.job(t, p, 'done', 'gone', 'cluster.change', 'CANCELLED', 'place', '{"finished": "-99 days"}');
END $$;

-- A third project has no clusters, so it can be moved and deleted; its name is the only one that differs between the tenants.
CREATE FUNCTION test.small_project(t text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    p text := t || 3;
    o bytea := test.id(t || ' org');
    j bytea := test.named(p || ' project');
BEGIN
    INSERT INTO project (id, org_id, name, settings, created_at) VALUES (j, o, 'small of ' || t, '{}', now() - interval '7 days');
    INSERT INTO project_limit (project_id, org_id, name, value) VALUES (j, o, 'project.users', 3);
    INSERT INTO role_grant (principal_id, org_id, project_id, role) VALUES (test.id(t || ' account'), o, j, 'GROUP_OWNER'), (test.id(t || ' bob'), o, j, 'GROUP_OWNER');
    INSERT INTO team_grant (team_id, org_id, project_id, role) VALUES (test.id(t || ' team other'), o, j, 'GROUP_OWNER');
    INSERT INTO resource (scope, kind, id, name, org_id, document) VALUES (j, 'thing', test.named(p || ' thing'), 'orders', o, jsonb_build_object('of', p));
    INSERT INTO event_count_of_project VALUES (j, o, 0, NULL);
END $$;

CREATE FUNCTION test.bills(t text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO invoice_line SELECT test.id(t || ' invoice'), test.id(t || ' org'), c.project_id, 'project of ' || t, c.id, c.name, s.sku, s.day::date, 5000000, 3600 * s.n, '2020-01-31 00:00+00'
        FROM cluster c, (VALUES ('MEMBER_M10', '2020-01-02', 1), ('DISK_GB', '2020-01-02', 10), ('MEMBER_M10', '2020-01-01', 2)) s (sku, day, n) WHERE c.org_id = test.id(t || ' org');
    UPDATE invoice SET status = 'CLOSED', subtotal_cents = 500, closed_at = '2020-02-01 02:00+00' WHERE id = test.id(t || ' invoice');
    INSERT INTO invoice (id, org_id, began_at, ends_at, status, subtotal_cents, created_at, updated_at, closed_at) VALUES
        (test.named(t || ' invoice free'), test.id(t || ' org'), '2019-11-01 00:00+00', '2019-12-01 00:00+00', 'FREE', 0, '2019-11-01 00:00+00', '2019-12-01 00:00+00', '2019-12-01 00:00+00'), (test.named(t || ' invoice paid'), test.id(t || ' org'), '2019-12-01 00:00+00', '2020-01-01 00:00+00', 'CLOSED', 100, '2019-12-01 00:00+00', '2020-01-01 00:00+00', '2020-01-01 00:00+00');
    INSERT INTO invoice_payment VALUES (test.id(t || ' invoice paid'), test.id(t || ' org'), '2020-01-09 00:00+00', t);
    INSERT INTO invoice (id, org_id, began_at, ends_at, created_at, updated_at) VALUES (test.named(t || ' invoice pending'), test.id(t || ' org'), '2020-02-01 00:00+00', '2020-03-01 00:00+00', '2020-02-01 00:00+00', '2020-02-01 00:00+00');
    INSERT INTO invoice_line SELECT test.id(t || ' invoice pending'), test.id(t || ' org'), c.project_id, 'project of ' || t, c.id, c.name, 'MEMBER_M10', '2020-02-01', 6000000, 3600, '2020-02-02 00:00+00' FROM cluster c WHERE c.org_id = test.id(t || ' org');
    INSERT INTO usage_tags SELECT c.id, c.org_id, '2020-02-29 23:00+00', NULL, jsonb_build_array(jsonb_build_object('key', 'of', 'value', t), jsonb_build_object('key', 'stage', 'value', 'live'))
        FROM cluster c WHERE c.org_id = test.id(t || ' org') AND c.name = 'orders';
    INSERT INTO usage_tags SELECT c.project_id, c.org_id, '2019-01-01 00:00+00', '2019-02-01 00:00+00', '[{"key": "of", "value": "long ago"}]' FROM cluster c WHERE c.org_id = test.id(t || ' org') AND c.name = 'orders';
    INSERT INTO usage_tags SELECT c.project_id, c.org_id, '2019-02-01 00:00+00', NULL, '[{"key": "of", "value": "project"}]' FROM cluster c WHERE c.org_id = test.id(t || ' org') AND c.name = 'orders';
    UPDATE usage_span SET began_at = '2020-01-01 00:00+00', billed_until = '2020-02-29 22:00+00' WHERE org_id = test.id(t || ' org');
END $$;

SELECT test.organization(t), test.project(t, 1), test.project(t, 2), test.small_project(t), test.bills(t) FROM (VALUES ('alfa'), ('bravo')) x (t);
INSERT INTO federation_domain (domain, federation_id) VALUES ('neighbour.test', test.id('bravo federation'));

-- Of some things bravo has one more, so that a number shows whose things were counted.
INSERT INTO project (id, org_id, name) VALUES (test.named('bravo4 project'), test.id('bravo org'), 'fourth');
INSERT INTO team (id, org_id, name) VALUES (test.named('bravo team third'), test.id('bravo org'), 'third');
INSERT INTO webhook (id, org_id, url, description, enabled, secret, delivered_seq) VALUES (test.named('bravo hook sixth'), test.id('bravo org'), 'https://hook', 'bravo', false, '\x76', 2);
INSERT INTO role_mapping (id, org_id, external_group) VALUES (test.named('bravo mapping third'), test.id('bravo org'), 'g3');
INSERT INTO identity_provider (id, federation_id, protocol, status, issuer_uri, domains, settings, keys_due_at) VALUES (test.named('bravo provider fourth'), test.id('bravo federation'), 'SAML', 'INACTIVE', 'https://issuer', '{}', '{}', now());
INSERT INTO role_grant (principal_id, org_id, role) VALUES (test.id('bravo account other'), test.id('bravo org'), 'ORG_OWNER');
INSERT INTO federated_member (org_id, person_id, provider_id, external_groups, issued_at, signed_in_at) VALUES (test.id('bravo org'), test.id('bravo bob'), test.id('bravo provider'), '{g3}', now(), now());
INSERT INTO data_key VALUES (test.id('bravo org'), 4, '\x34');
UPDATE data_key SET sealed = '\x31' WHERE org_id = test.id('bravo org') AND version = 1;
INSERT INTO event (org_id, seq, id, type, created_at, document, hash) VALUES (test.id('bravo org'), 11, test.named('bravo event last'), 'T2', test.moment() - interval '1 minute', '{"of": "bravo"}', '\x84');
UPDATE event_chain SET seq = 11 WHERE org_id = test.id('bravo org');

-- Whoever forgets the kind of a resource finds its double.
INSERT INTO resource (scope, kind, id, name, org_id, document, state, generation, observed_generation, access_generation, created_at)
    SELECT r.scope, r.kind || 'Double', r.id, r.name, r.org_id, r.document || '{"of": "double"}', r.state, r.generation, r.observed_generation, r.access_generation, r.created_at FROM resource r;
INSERT INTO host_address (address, private_address, prefix, host_id) SELECT a.address::inet, NULL, 16, test.id(a.host)
    FROM (VALUES ('10.1.250.1', 'h1'), ('10.1.250.2', 'h1'), ('10.1.250.3', 'h1'), ('10.2.250.1', 'h2'), ('10.3.250.1', 'h3'), ('10.3.250.2', 'h3'), ('10.4.250.1', 'h4'), ('10.5.250.1', 'h5')) a (address, host);

-- A third tenant has nothing left but credentials, and a chain without its events.
INSERT INTO organization (id, name, federation_id, access_list_required) VALUES (test.named('charlie org'), 'Empty', test.named('charlie federation'), true);
INSERT INTO principal (id, kind, org_id) VALUES (test.named('charlie account'), 'service_account', test.id('charlie org'));
INSERT INTO service_account (id, org_id, name, description) VALUES (test.id('charlie account'), test.id('charlie org'), 'account', 'charlie');
INSERT INTO event_chain VALUES (test.id('charlie org'), 5, '\x77', 1500000000000);

ALTER TABLE dns_record ENABLE TRIGGER dns_record_is_own;

-- ---- Short words for calls ----
CREATE FUNCTION test.o() RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT test.id('alfa org') $$;
CREATE FUNCTION test.p() RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT test.id('alfa1 project') $$;
CREATE FUNCTION test.t(p_name text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT test.id('alfa ' || p_name) $$;
CREATE FUNCTION test.x(p_name text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$ SELECT test.id('alfa1 ' || p_name) $$;
CREATE FUNCTION test.external(p_name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT md5('alfa1 ' || p_name)::uuid::text $$;
CREATE FUNCTION test.hex(p_id bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT encode(p_id, 'hex') $$;
CREATE FUNCTION test.teams(VARIADIC p_ids bytea[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_agg(jsonb_build_object('teamId', encode(i, 'hex'), 'roleNames', '["GROUP_DATA"]'::jsonb)) FROM unnest(p_ids) i $$;
CREATE FUNCTION test.list(VARIADIC p_ids bytea[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT jsonb_agg(encode(i, 'hex')) FROM unnest(p_ids) i $$;
