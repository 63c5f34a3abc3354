-- All of these.
SELECT reeve_advisor.hypopg_reset()
