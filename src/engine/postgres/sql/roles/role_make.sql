-- Makes a role without login, unless it is there. Only for names that we made ourselves.
DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') THEN CREATE ROLE :"role"; END IF; END $$
