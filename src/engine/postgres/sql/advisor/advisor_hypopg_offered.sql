-- Whether the host has what indexes are tried with.
SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'hypopg')
