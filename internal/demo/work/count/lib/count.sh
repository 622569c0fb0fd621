# count: say how many items are open
sh "$here/todo" list | wc -l | tr -d ' '
