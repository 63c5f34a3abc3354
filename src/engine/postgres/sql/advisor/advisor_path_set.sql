-- The path of the session.
SELECT set_config('search_path', $1, false)
