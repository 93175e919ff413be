"""How answers about videos are judged."""
