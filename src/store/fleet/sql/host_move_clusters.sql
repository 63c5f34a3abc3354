-- Has a job move each cluster that has a member on a host; how many members there still are.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT host_move_clusters(:host, :kind, :first_step, :step_count::int) AS clusters_left
