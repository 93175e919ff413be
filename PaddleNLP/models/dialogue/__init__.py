"""Networks of dialogue systems: which reply fits a conversation, how good one is, and what to reply."""
