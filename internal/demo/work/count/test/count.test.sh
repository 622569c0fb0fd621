[ "$(sh todo count)" = 0 ]
sh todo add buy milk
sh todo add call Ada
[ "$(sh todo count)" = 2 ]
sh todo done 1
[ "$(sh todo count)" = 1 ]
