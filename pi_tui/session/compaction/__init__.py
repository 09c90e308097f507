"""What a compaction keeps and what it summarises. Pure: the requests to the model are the runtime's."""
