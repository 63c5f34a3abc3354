-- Who owns the database may do everything in the schema that every database begins with.
GRANT ALL ON SCHEMA public TO :"owner"
