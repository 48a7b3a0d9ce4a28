"""The overfitting study: scores after every training step."""
