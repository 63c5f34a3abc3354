-- Takes "member" out of a role.
REVOKE :"role" FROM :"member"
