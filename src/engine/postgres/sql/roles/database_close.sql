-- Nobody but those who have a role in it connects.
REVOKE ALL ON DATABASE :"database" FROM PUBLIC
