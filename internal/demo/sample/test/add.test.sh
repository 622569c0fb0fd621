sh todo add buy milk
sh todo add "call Ada"
[ "$(sh todo list | wc -l)" -eq 2 ]
sh todo list | grep -q '^2  call Ada$'
