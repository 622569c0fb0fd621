sh todo add buy milk
sh todo add call Ada
sh todo undo
[ "$(sh todo list)" = "1  buy milk" ]

# A second undo takes nothing back and loses nothing.
if sh todo undo 2>/dev/null; then exit 1; fi
[ "$(sh todo list)" = "1  buy milk" ]

sh todo done 1
sh todo undo
[ "$(sh todo list)" = "1  buy milk" ]
