-- Makes a user that is ours from its first moment: a role that was made and not marked would be taken for the tenant's.
CREATE ROLE :"role" IN ROLE :"managed"
