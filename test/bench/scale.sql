-- SPDX-License-Identifier: Apache-2.0
-- Fills a cell, set by set: functions of a schema that is dropped afterwards. test/bench/scale calls them in this order:
--   scale.begin_load      organizations, projects, resources, and the lists of all of them
--   scale.load_events     in several sessions at once, a part of the organizations each
--   scale.load_big_events of the one organization that is large
--   scale.finish_load     indexes, the ends of the chains, statistics
-- Everything about row n can be worked out from n, so nothing has to be looked up: project n belongs to the large organization
-- when n is a multiple of 8, and to the others in turn. Triggers and foreign keys are off (session_replication_role); what they
-- would have kept up to date is made afterwards by list_rebuild.
CREATE SCHEMA scale;

CREATE TABLE scale.size (organizations int, projects int, resources int, events bigint, big bytea);
CREATE UNLOGGED TABLE scale.chain_end (org_id bytea, seq bigint, hash bytea, created_ms bigint);
CREATE TABLE scale.dropped_index (name text, definition text);

-- Twelve bytes that grow with n, as the service's own ids grow with time.
CREATE FUNCTION scale.id(p_kind int, p_n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN int4send(p_kind * 10000000 + (p_n / 1000)::int) || int8send(p_n);
CREATE FUNCTION scale.organization(p_n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN scale.id(150, p_n);
CREATE FUNCTION scale.project(p_n bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN scale.id(151, p_n);

-- The project with the number p_at (from 0) of a small organization, or of the large one.
CREATE FUNCTION scale.project_of_small(p_org bigint, p_at bigint, p_small bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN scale.project(((p_org - 1 + p_at * p_small) / 7) * 8 + (p_org - 1 + p_at * p_small) % 7 + 1);
CREATE FUNCTION scale.project_of_big(p_at bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN scale.project((p_at + 1) * 8);

-- As the service writes it: sorted keys, no spaces.
CREATE FUNCTION scale.event_document(p_org bytea, p_project bytea, p_id bytea, p_seq bigint, p_type text, p_created text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    '{"actor":{"id":"650000000000000000000001","kind":"SERVICE_ACCOUNT","name":"reeve_sa_650000000000000000000001"},'
    '"address":"192.0.2.17","after":{"clusterCount":0,"created":"2026-01-01T00:00:00Z","name":"project-' || p_seq ||
    '","tags":[{"key":"environment","value":"production"}],"withDefaultAlertsSettings":true},"before":null,"created":"' || p_created ||
    '","id":"' || encode(p_id, 'hex') || '","org":"' || encode(p_org, 'hex') || '","project":' ||
    coalesce('"' || encode(p_project, 'hex') || '"', 'null') || ',"request":"01234567-89ab-cdef-0123-456789abcdef","seq":' || p_seq ||
    ',"type":"' || p_type || '"}';
CREATE FUNCTION scale.event_type(p_seq bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    (ARRAY['GROUP_CREATED', 'GROUP_UPDATED', 'ROLE_GRANTED', 'ROLE_REVOKED', 'PRIVATE_IP_MODE_CHANGED', 'API_KEY_CREATED',
           'SERVICE_ACCOUNT_CREATED'])[1 + p_seq % 7];

-- Counters, segments and blocks of all lists, from the rows: what the triggers of 0004_list.sql would have arrived at, with
-- segments of 48 rows and blocks of 96 segments, which is between half full and full.
CREATE FUNCTION scale.list_rebuild() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE list_counter, list_segment, list_block;
    CREATE TEMP TABLE piece ON COMMIT DROP AS
        SELECT scope, kind, CASE WHEN at = 0 THEN ''::bytea ELSE id END AS anchor, at, total
        FROM (SELECT scope::bytea, kind, id::bytea, row_number() OVER (PARTITION BY scope, kind ORDER BY id) - 1 AS at,
                     count(*) OVER (PARTITION BY scope, kind) AS total
              FROM (SELECT org_id AS scope, 'project' AS kind, id FROM project UNION ALL SELECT scope, kind, id FROM resource) r) listed
        WHERE at % 48 = 0;
    INSERT INTO list_segment (scope, kind, anchor, n) SELECT scope, kind, anchor, least(48, total - at) FROM piece;
    INSERT INTO list_block (scope, kind, anchor, n) SELECT scope, kind, anchor, least(4608, total - at) FROM piece WHERE at % 4608 = 0;
    INSERT INTO list_counter (scope, kind, total) SELECT scope, kind, total FROM piece WHERE at = 0;
END $$;

CREATE FUNCTION scale.drop_indexes(p_table regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    v_index record;
BEGIN
    FOR v_index IN SELECT i.indexrelid::regclass AS name, c.conname, pg_get_indexdef(i.indexrelid) AS definition,
                          pg_get_constraintdef(c.oid) AS of_constraint
                   FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.contype IN ('p', 'u')
                   WHERE i.indrelid = p_table LOOP
        IF v_index.conname IS NULL THEN
            INSERT INTO scale.dropped_index VALUES (v_index.name::text, replace(v_index.definition, ' ON ONLY ', ' ON '));
            EXECUTE format('DROP INDEX %s', v_index.name);
        ELSE
            INSERT INTO scale.dropped_index VALUES (v_index.name::text,
                format('ALTER TABLE %s ADD CONSTRAINT %I %s', p_table, v_index.conname, v_index.of_constraint));
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', p_table, v_index.conname);
        END IF;
    END LOOP;
END $$;

CREATE PROCEDURE scale.make_indexes() LANGUAGE plpgsql AS $$
DECLARE
    v_index record;
BEGIN
    FOR v_index IN SELECT definition FROM scale.dropped_index LOOP
        EXECUTE v_index.definition;
        COMMIT;
    END LOOP;
    TRUNCATE scale.dropped_index;
    -- As 0002_resource.sql names them: the store knows a violation by it.
    FOR v_index IN SELECT c.conrelid::regclass AS part, c.conname FROM pg_constraint c
                   WHERE c.conname ~ '^resource_[0-9]+_scope_kind_name_key$' LOOP
        EXECUTE format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', v_index.part, v_index.conname,
                       'resource_name_in_scope_' || substring(v_index.part::text FROM '[0-9]+$'));
    END LOOP;
END $$;

CREATE PROCEDURE scale.begin_load(p_organizations int, p_projects int, p_resources int, p_events bigint, p_big bytea)
LANGUAGE plpgsql AS $$
DECLARE
    v_small bigint := p_organizations - 1;
    v_in_one bigint := p_resources / 25; -- of one kind in one project, a long list
BEGIN
    INSERT INTO scale.size VALUES (p_organizations, p_projects, p_resources, p_events, p_big);
    PERFORM scale.drop_indexes('resource');
    INSERT INTO organization (id, name, federation_id, access_list_required)
        SELECT scale.organization(n), 'organization-' || n, scale.id(149, n), false FROM generate_series(1, v_small) n;
    INSERT INTO project (id, org_id, name, settings)
        SELECT scale.project(n), CASE WHEN n % 8 = 0 THEN p_big ELSE scale.organization(1 + (n - n / 8 - 1) % v_small) END,
               'project-' || n, '{"tags": [{"key": "environment", "value": "production"}]}'
        FROM generate_series(1, p_projects) n;
    -- One that every project has, a few of another kind in each, and many of a third in one.
    INSERT INTO resource (scope, kind, id, name, org_id, document)
        SELECT p.id, 'privateIpMode', scale.id(152, row_number() OVER ()), '', p.org_id, '{"enabled": true}' FROM project p;
    INSERT INTO resource (scope, kind, id, name, org_id, document)
        SELECT scale.project(1 + n % p_projects), 'customRole', scale.id(153, n), 'role-' || n,
               CASE WHEN (1 + n % p_projects) % 8 = 0 THEN p_big
                    ELSE scale.organization(1 + (1 + n % p_projects - (1 + n % p_projects) / 8 - 1) % v_small) END,
               jsonb_build_object('roleName', 'role-' || n, 'actions', '[{"action": "SELECT", "resources": [{"db": "app"}]}]'::jsonb,
                                  'inheritedRoles', '[]'::jsonb)
        FROM generate_series(1::bigint, p_resources - p_projects - v_in_one) n;
    INSERT INTO resource (scope, kind, id, name, org_id, document)
        SELECT scale.project_of_big(0), 'databaseUser', scale.id(154, n), 'user-' || n, p_big,
               jsonb_build_object('username', 'user-' || n, 'roles', '[{"roleName": "read", "databaseName": "app"}]'::jsonb)
        FROM generate_series(1, v_in_one) n;
    COMMIT;
    CALL scale.make_indexes();
    PERFORM scale.list_rebuild();
    PERFORM scale.drop_indexes('event');
END $$;

-- Events of the small organizations whose number leaves p_part when divided by p_parts. First the first event of each, then the
-- second: so the events of one organization lie as far apart as they would after years.
CREATE PROCEDURE scale.load_events(p_part int, p_parts int) LANGUAGE plpgsql AS $$
DECLARE
    v_size scale.size := (SELECT s FROM scale.size s);
    v_small bigint := v_size.organizations - 1;
    v_levels bigint := (v_size.events - v_size.events * 3 / 40) / v_small;
    v_projects bigint := v_size.projects - v_size.projects / 8;
    v_now timestamptz := date_trunc('second', now());
    v_created timestamptz;
    v_place bigint;
BEGIN
    CREATE TEMP TABLE chain_0 AS SELECT n AS o, ''::bytea AS hash FROM generate_series(1, v_small) n WHERE n % p_parts = p_part;
    CREATE TEMP TABLE chain_1 (LIKE chain_0);
    FOR v_seq IN 1..v_levels LOOP
        v_created := v_now - make_interval(mins => (v_levels - v_seq)::int);
        v_place := v_seq - v_seq / 10 - 1; -- among those of the events before that are a project's
        EXECUTE format($sql$
            WITH placed AS MATERIALIZED (
                SELECT c.o, c.hash, (%1$s - (c.o - 1) + %2$s - 1) / %2$s AS projects FROM pg_temp.%3$I c),
            made AS MATERIALIZED (
                SELECT p.o, org, project, event, p.projects, sha256(p.hash || convert_to(document, 'UTF8')) AS hash, document
                FROM placed p
                CROSS JOIN LATERAL (SELECT scale.organization(p.o) AS org, scale.id(160, %5$s * %2$s + p.o) AS event,
                                           CASE WHEN %5$s %% 10 <> 0 THEN
                                               scale.project_of_small(p.o, %6$s %% p.projects, %2$s) END AS project) i
                CROSS JOIN LATERAL (SELECT scale.event_document(org, project, event, %5$s, %7$L, %8$L) AS document) d),
            added AS (
                INSERT INTO event (org_id, seq, id, project_id, project_seq, type, created_at, document, hash)
                SELECT org, %5$s, event, project, CASE WHEN project IS NOT NULL THEN %6$s / projects + 1 END, %7$L, %9$L, document, hash
                FROM made)
            INSERT INTO pg_temp.%4$I SELECT o, hash FROM made $sql$,
            v_projects, v_small, 'chain_' || (v_seq - 1) % 2, 'chain_' || v_seq % 2, v_seq, v_place, scale.event_type(v_seq),
            to_char(v_created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), v_created);
        EXECUTE format('TRUNCATE pg_temp.%I', 'chain_' || (v_seq - 1) % 2);
        COMMIT;
    END LOOP;
    EXECUTE format('INSERT INTO scale.chain_end SELECT scale.organization(o), %s, hash, %s FROM pg_temp.%I', v_levels,
                   (extract(epoch FROM v_now) * 1000)::bigint, 'chain_' || v_levels % 2);
END $$;

-- Of the events that are a project's, two in five are those of its first project.
CREATE PROCEDURE scale.load_big_events() LANGUAGE plpgsql AS $$
DECLARE
    v_size scale.size := (SELECT s FROM scale.size s);
    v_others bigint := v_size.projects / 8 - 1;
    v_chain event_chain := (SELECT c FROM event_chain c WHERE c.org_id = (SELECT big FROM scale.size));
    v_hash bytea := v_chain.hash;
    v_first bigint := v_chain.seq;
    v_seq bigint;
    v_ms bigint;
    v_project bytea;
    v_place bigint;
    v_turn bigint;
    v_event bytea;
    v_document text;
BEGIN
    FOR v_n IN 1..v_size.events * 3 / 40 LOOP
        v_seq := v_first + v_n;
        v_ms := v_chain.created_ms + v_n;
        v_project := NULL;
        v_place := NULL;
        IF v_n % 10 <> 0 THEN
            v_turn := v_n - v_n / 10 - 1;
            IF v_turn % 5 < 2 THEN
                v_project := scale.project_of_big(0);
                v_place := v_turn / 5 * 2 + v_turn % 5 + 1;
            ELSE
                v_turn := v_turn / 5 * 3 + v_turn % 5 - 2;
                v_project := scale.project_of_big(1 + v_turn % v_others);
                v_place := v_turn / v_others + 1;
            END IF;
        END IF;
        v_event := scale.id(170, v_n);
        v_document := scale.event_document(v_size.big, v_project, v_event, v_seq, scale.event_type(v_seq),
                                           to_char(to_timestamp(v_ms / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
        v_hash := sha256(v_hash || convert_to(v_document, 'UTF8'));
        INSERT INTO event (org_id, seq, id, project_id, project_seq, type, created_at, document, hash)
            VALUES (v_size.big, v_seq, v_event, v_project, v_place, scale.event_type(v_seq), to_timestamp(v_ms / 1000.0), v_document, v_hash);
        IF v_n % 20000 = 0 THEN
            COMMIT;
        END IF;
    END LOOP;
    UPDATE event_chain SET seq = v_seq, hash = v_hash, created_ms = v_ms WHERE org_id = v_size.big;
END $$;

CREATE PROCEDURE scale.finish_load() LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_chain (org_id, seq, hash, created_ms) SELECT org_id, seq, hash, created_ms FROM scale.chain_end;
    CALL scale.make_indexes();
    INSERT INTO event_count_of_project (project_id, org_id, seq)
        SELECT project_id, org_id, max(project_seq) FROM event WHERE project_id IS NOT NULL GROUP BY 1, 2;
END $$;
