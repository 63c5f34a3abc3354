-- Roles in the operator's object stores (docs/internals/provider-roles.md): where a project may write, with which keys. A project's own half is a resource of kind
-- providerRole; the external id that is in both proves that they belong together.

CREATE TABLE store_role (
    id          reeve_id PRIMARY KEY, -- of this one: another one of the same name is another role
    store       text NOT NULL REFERENCES object_store (name),
    name        text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    bucket      text NOT NULL,
    prefix      text NOT NULL CHECK (prefix ~ '^([A-Za-z0-9_-][A-Za-z0-9._-]*/)*$'), -- everything that is written with the role begins with it
    external_id uuid NOT NULL, -- of the project's role that may be authorized for it
    keys        bytea NOT NULL, -- {"key", "secretKey"}, sealed, bound to object-store/role/<id>/keys
    created_at  timestamptz NOT NULL DEFAULT now(),
    UNIQUE (store, name)
);
CREATE INDEX store_role_for ON store_role (external_id);
CREATE INDEX resource_provider_role ON resource ((document ->> 'serviceAssumedRoleExternalId')) WHERE kind = 'providerRole';

ALTER TABLE store_role ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON store_role TO reeve_reader;
CREATE POLICY reader ON store_role FOR SELECT TO reeve_reader USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON store_role TO reeve_tenant;
CREATE POLICY service ON store_role TO reeve_tenant USING (reeve_is_service());
