sh todo purge
sh todo add buy milk
sh todo add call Ada
sh todo done 1
sh todo purge
[ "$(sh todo list)" = "1  call Ada" ]
