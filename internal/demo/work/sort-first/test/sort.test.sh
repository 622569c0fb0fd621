sh todo add Öl
sh todo add Zwiebeln
sh todo add "🧀 Käse"
sh todo add Äpfel
[ "$(sh todo sort | head -n 1)" = "4  Äpfel" ]
