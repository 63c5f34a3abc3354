-- How entities of typed tables look in the API. Views run with the rights of who asks (security_invoker), so that row-level
-- security holds through them.
-- was: ed134d10e831cfd1c64f58f834210ff6c72f53c2eb620e592e610c59b46a77bf

-- A node asks whether the schema is the one that it was built for.
GRANT SELECT ON schema_migration TO reeve_reader;
