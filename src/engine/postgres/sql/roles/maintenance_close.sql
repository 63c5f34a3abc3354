-- Nobody but the superuser has to do anything in the template: a session in it keeps everybody from creating databases (S11). The database of the
-- superuser is named by the connection strings; one can connect there, and make nothing.
REVOKE ALL ON DATABASE template1 FROM PUBLIC;
REVOKE TEMPORARY ON DATABASE :"maintenance" FROM PUBLIC;
