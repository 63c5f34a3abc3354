-- Where sequences are, as statements that bring others there. Those that nobody has used begin where the schema says.
SELECT format('SELECT pg_catalog.setval(%L, %s);', format('%I.%I', schemaname, sequencename), last_value) AS statement
FROM pg_sequences WHERE last_value IS NOT NULL ORDER BY schemaname, sequencename
