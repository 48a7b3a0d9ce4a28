"""Speed, side by side with peers. One core each, several repetitions in alternation, medians."""
