"""How the tests see whether a process has loaded the engine: mxnet's parts are in no table of modules."""

ENGINE = "core.kernels.engine.startup"
"""The module that loads and starts it."""
