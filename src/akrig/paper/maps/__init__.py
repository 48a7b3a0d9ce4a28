"""Maps of several models side by side: snapshots of missions, and the volcano."""
