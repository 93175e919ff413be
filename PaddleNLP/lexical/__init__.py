"""Lexical analysis: LAC's tags and dictionaries, dictionaries of users, and an object that analyses texts."""
