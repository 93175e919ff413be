"""Features of long videos, and when which action happens in them; nothing here loads the engine."""
