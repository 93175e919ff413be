"""Language models: encoders, one file for each family, and the heads that all of them share."""
