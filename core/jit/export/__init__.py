"""From a layer or function to an exported folder that was checked against it."""
