-- Lets a group into a database.
GRANT CONNECT, TEMPORARY ON DATABASE :"database" TO :"role"
