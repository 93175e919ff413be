"""Samples whose fields differ in size: padded to named sizes, or concatenated with offsets."""
