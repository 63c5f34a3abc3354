-- Hands the name over to user_shut_out.
SELECT set_config('reeve.role', $1, true)
