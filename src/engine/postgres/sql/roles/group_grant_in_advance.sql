-- What "creator" makes in this database from now on is granted with it. "tables" and "sequences" are words of our own tables.
ALTER DEFAULT PRIVILEGES FOR ROLE :"creator" GRANT :tables ON TABLES TO :"role";
ALTER DEFAULT PRIVILEGES FOR ROLE :"creator" GRANT :sequences ON SEQUENCES TO :"role";
ALTER DEFAULT PRIVILEGES FOR ROLE :"creator" GRANT USAGE ON SCHEMAS TO :"role";
