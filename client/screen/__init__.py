"""What the full-screen client draws: pure functions from model to formatted text."""
