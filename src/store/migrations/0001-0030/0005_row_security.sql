-- The second wall between tenants. Transactions run as reeve_tenant and see the rows of the organization that the
-- transaction named in `reeve.organization`; reads run as reeve_reader, which sees everything and changes nothing, and
-- whose statements carry the tenant as a parameter. The owner of the tables does neither: only migrations run as it.
--
-- The organization of twelve zero bytes stands for the service itself. No organization has that id; a transaction that
-- names it may change what belongs to no organization.
-- was: 3943e483e6564bafa06e79a615177c5ab2f5765ce622f6e25323766231dce5e4

-- Roles belong to the whole server: another database's migration may make the same ones at this moment.
DO $$
DECLARE
    v_role text;
    v_try int;
BEGIN
    FOREACH v_role IN ARRAY ARRAY['reeve_tenant', 'reeve_reader'] LOOP
        FOR v_try IN 1..20 LOOP
            BEGIN
                IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = v_role) THEN
                    EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
                END IF;
                EXECUTE format('GRANT %I TO CURRENT_USER', v_role);
                EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), v_role);
                EXIT;
            EXCEPTION WHEN duplicate_object OR unique_violation OR internal_error THEN
                IF v_try = 20 THEN
                    RAISE;
                END IF;
                PERFORM pg_sleep(0.1);
            END;
        END LOOP;
    END LOOP;
END $$;

-- Readers: everything, SELECT only.
DO $$
DECLARE
    v_table text;
BEGIN
    FOREACH v_table IN ARRAY ARRAY[
        'organization', 'project', 'principal', 'person', 'service_account', 'service_account_secret', 'api_key',
        'role_grant', 'access_list_entry', 'revoked_token', 'signing_key', 'data_key', 'limit_override', 'resource',
        'event_chain', 'event', 'event_count_of_project', 'idempotency', 'list_counter', 'list_block', 'list_segment']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', v_table);
        EXECUTE format('GRANT SELECT ON %I TO reeve_reader', v_table);
        EXECUTE format('CREATE POLICY reader ON %I FOR SELECT TO reeve_reader USING (true)', v_table);
    END LOOP;
    -- Tables whose rows carry their organization, and that its transactions change freely.
    FOREACH v_table IN ARRAY ARRAY[
        'project', 'service_account', 'service_account_secret', 'api_key', 'role_grant', 'access_list_entry', 'data_key',
        'resource']
    LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO reeve_tenant', v_table);
        EXECUTE format('CREATE POLICY tenant ON %I TO reeve_tenant USING (org_id = reeve_organization())', v_table);
    END LOOP;
END $$;
GRANT USAGE ON SEQUENCE revision TO reeve_tenant;

GRANT SELECT, INSERT, UPDATE, DELETE ON organization TO reeve_tenant;
CREATE POLICY tenant ON organization TO reeve_tenant USING (id = reeve_organization());

-- People belong to no organization: any of them may be given a role, only the service changes them.
GRANT SELECT, INSERT, UPDATE, DELETE ON principal, person TO reeve_tenant;
CREATE POLICY tenant ON principal TO reeve_tenant USING (org_id = reeve_organization());
CREATE POLICY tenant_sees_people ON principal FOR SELECT TO reeve_tenant USING (org_id IS NULL);
CREATE POLICY service ON principal TO reeve_tenant USING (org_id IS NULL AND reeve_is_service());
CREATE POLICY tenant_sees_people ON person FOR SELECT TO reeve_tenant USING (true);
CREATE POLICY service ON person TO reeve_tenant USING (reeve_is_service());

-- A token is its principal's. The inner query runs under the policies of principal: own credentials and people.
GRANT SELECT, INSERT, DELETE ON revoked_token TO reeve_tenant;
CREATE POLICY tenant ON revoked_token TO reeve_tenant
    USING (EXISTS (SELECT FROM principal p WHERE p.id = revoked_token.principal_id));
CREATE POLICY sweep_sees ON revoked_token FOR SELECT TO reeve_tenant USING (expires_at < now() AND reeve_is_service());
CREATE POLICY sweep ON revoked_token FOR DELETE TO reeve_tenant USING (expires_at < now() AND reeve_is_service());

GRANT SELECT, INSERT, DELETE ON signing_key TO reeve_tenant;
CREATE POLICY service ON signing_key TO reeve_tenant USING (reeve_is_service());

GRANT SELECT, INSERT, UPDATE, DELETE ON limit_override TO reeve_tenant;
CREATE POLICY tenant ON limit_override TO reeve_tenant
    USING (owner = reeve_organization()
           OR EXISTS (SELECT FROM project p WHERE p.id = limit_override.owner AND p.org_id = reeve_organization())
           OR EXISTS (SELECT FROM principal p WHERE p.id = limit_override.owner AND p.org_id = reeve_organization()));
-- Limits are the operator's to give, whoever gets them.
CREATE POLICY service ON limit_override TO reeve_tenant USING (reeve_is_service());

-- Events are only ever added: not even their own organization can change or remove one.
GRANT SELECT, INSERT ON event TO reeve_tenant;
GRANT SELECT, INSERT, UPDATE ON event_chain, event_count_of_project TO reeve_tenant;
CREATE POLICY tenant ON event TO reeve_tenant USING (org_id = reeve_organization());
CREATE POLICY tenant ON event_chain TO reeve_tenant USING (org_id = reeve_organization());
CREATE POLICY tenant ON event_count_of_project TO reeve_tenant USING (org_id = reeve_organization());

-- Not bound to an organization: the caller's own may differ from the one that a request creates or changes. A row is
-- found only by principal and key, and its answer is sealed. What is too old to be found may be swept by anyone.
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency TO reeve_tenant;
CREATE POLICY tenant_sees ON idempotency FOR SELECT TO reeve_tenant USING (true);
CREATE POLICY tenant_adds ON idempotency FOR INSERT TO reeve_tenant WITH CHECK (true);
CREATE POLICY tenant_renews ON idempotency FOR UPDATE TO reeve_tenant USING (created_at <= now() - interval '24 hours')
    WITH CHECK (true);
CREATE POLICY sweep ON idempotency FOR DELETE TO reeve_tenant USING (created_at <= now() - interval '24 hours');

-- Lists are changed by their triggers only.
GRANT SELECT ON list_counter, list_block, list_segment TO reeve_tenant;
CREATE POLICY tenant ON list_counter FOR SELECT TO reeve_tenant
    USING (scope = reeve_organization() OR EXISTS (SELECT FROM project p WHERE p.id = list_counter.scope));
CREATE POLICY tenant ON list_block FOR SELECT TO reeve_tenant
    USING (scope = reeve_organization() OR EXISTS (SELECT FROM project p WHERE p.id = list_block.scope));
CREATE POLICY tenant ON list_segment FOR SELECT TO reeve_tenant
    USING (scope = reeve_organization() OR EXISTS (SELECT FROM project p WHERE p.id = list_segment.scope));
