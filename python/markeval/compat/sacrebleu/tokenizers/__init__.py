"""Tokenizers of sacrebleu."""
