"""What is made of a study's results: a module each, with `write(study, results, folder)`."""
