"""Small networks on whole words: Senta's, EmoTect's, SimNet's and LAC's."""
