-- Has a job move each cluster that has a member on a host; how many members there still are.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT host_move_clusters($1, $2, $3, $4::int)
