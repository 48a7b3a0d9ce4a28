"""Maps of soundings, any number of them, in tiles that can be computed anywhere."""
