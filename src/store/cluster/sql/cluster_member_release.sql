-- Gives back what a member had reserved.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT member_release(:member)
