-- Members must take something over: moves the cluster's goal and those of its hosts.
-- scope: none, because the function looks for itself at whom the transaction acts for
SELECT cluster_touch(:cluster) AS goal_generation
