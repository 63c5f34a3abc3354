-- Drops a role that owns nothing any more.
DROP ROLE :"role"
