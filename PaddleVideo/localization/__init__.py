"""When which action happens in a long video: from a network's answers to intervals, submissions and pictures."""
