"""The config of an experiment: its schema, its sections, and the YAML file that it is read from."""
