# sort: show what is open, in alphabetical order
sh "$here/todo" list | LC_ALL=C sort -k 2
