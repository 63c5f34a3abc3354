-- Makes a database.
CREATE DATABASE :"database" OWNER :"owner"
