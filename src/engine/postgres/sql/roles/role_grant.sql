-- Puts "member" into a role.
GRANT :"role" TO :"member"
