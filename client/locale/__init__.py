"""The translations, one folder for each language, and the module that keeps them in step."""
