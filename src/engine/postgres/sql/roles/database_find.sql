-- A row when the database $1 is there.
SELECT FROM pg_database WHERE datname = $1
