-- Makes the seats for copies that are missing.
-- scope: none, because the service looks at the histories of all organizations
SELECT seat_copies_complete() AS seats
