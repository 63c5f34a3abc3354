-- Makes a role without login.
CREATE ROLE :"role"
