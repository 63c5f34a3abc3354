-- From here on the session may do what this role may, and no more.
SET ROLE :"role"
