[ "$(sh todo prompt)" = "" ]
sh todo add buy milk
[ "$(sh todo prompt)" = "[1]" ]
