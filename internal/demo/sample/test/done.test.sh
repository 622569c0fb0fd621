sh todo add buy milk
sh todo add call Ada
sh todo done 1
[ "$(sh todo list)" = "2  call Ada" ]
