"""Modules of Paddle that are no public interface and that programs import all the same, by the names they have there.

Each holds what such programs use, imported from where it is: ``paddle.framework.io.EagerParamBase`` is
``core.nn.Parameter``. ``core.install_as_paddle()`` looks here for what the public modules do not have.
"""
