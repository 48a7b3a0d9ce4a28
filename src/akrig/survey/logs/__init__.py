"""Other people's logs, read as readings to replay, and what a replay ends with."""
