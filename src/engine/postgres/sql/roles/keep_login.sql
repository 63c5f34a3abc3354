-- Hands over to user_set_login: role, verifier, end and attributes. They come as parameters, so no text of a statement has a verifier.
SELECT set_config('reeve.role', $1, true), set_config('reeve.verifier', $2, true),
       set_config('reeve.until', $3, true), set_config('reeve.attributes', $4, true)
