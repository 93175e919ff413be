"""``paddle.dataset``: of its functions, those that programs use without its data sets."""
