-- Gives back what the seats of a history that has ended do not need.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT seat_shrink(:stanza) AS nothing
