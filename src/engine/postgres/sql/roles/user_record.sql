-- Every statement of this user is in the server's log. Only a superuser may set it, so the user cannot take it back.
ALTER ROLE :"role" SET log_statement = 'all'
