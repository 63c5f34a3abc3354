-- A row when this server has the files of the extension $1.
SELECT FROM pg_available_extensions WHERE name = $1
