-- What is wrong with a rule of a policy; null when nothing is.
-- scope: none, because it touches no table
SELECT policy_problem(:body) AS problem
