"""Maps of a hundred thousand soundings, by akrig and by others, against legs that were held back."""
