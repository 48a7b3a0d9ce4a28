"""The sensitivity study: one factor of the attentive kernel after the other."""
