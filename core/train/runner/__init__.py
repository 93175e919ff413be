"""One runner for every toolkit: from a record of what a toolkit has to its commands.

A toolkit writes a config schema, tasks, data, networks, metrics and pictures. Training, evaluation, inference, export,
preview and the list of keys follow from these; :mod:`core.train.runner.commands` makes programs of them.
"""
