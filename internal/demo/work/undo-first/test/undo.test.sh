sh todo add buy milk
sh todo add call Ada
sh todo undo
[ "$(sh todo list)" = "1  buy milk" ]
