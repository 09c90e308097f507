"""Every limit of the tools, in one place."""

KIB = 1024
MIB = 1024 * KIB

# What one result shows to the model.
MAX_LINES = 2000
MAX_BYTES = 50 * KIB

FILE_THREADS = 3
"""Calls that work on files at the same time; more would only take turns with the client for the processor."""

# read
SNIFF_BYTES = 8 * KIB
"""What of a file is looked at to tell text from anything else."""
READ_CHUNK_BYTES = MIB
READ_PAUSE_SECONDS = 0.001
"""Between two chunks of a file that has several, so that keys and the screen come first."""
COUNT_LINES_BYTES = 4096 * MIB
"""How far a file is read only to know how many lines it has."""
HASH_FILE_BYTES = 8 * MIB
"""Up to this size a file's content is remembered by hash, above it by its stat alone."""
SEEN_FILES = 4096
"""Files whose last seen state is remembered."""
SCANNED_NAMES = 5000
"""Names of one folder that are looked through for a similar one."""

# Images. APIs refuse 5 MB, and they count the base64 text, not the file.
IMAGE_MAX_SIDE = 2000
"""Pixels."""
IMAGE_MAX_BASE64_BYTES = 4608 * KIB
IMAGE_FILE_BYTES = 64 * MIB
IMAGE_PIXELS = 64_000_000
"""Decoding needs up to four bytes for each."""

# edit, write
EDIT_FILE_BYTES = 64 * MIB
LARGE_EDIT_BYTES = 2 * MIB
"""A larger file is edited in a process of its own."""
ABANDONED_SECONDS = 24 * 3600
"""A temporary file beside an edited one that is older was left by a program that was killed."""
DIFF_FILE_BYTES = 16 * MIB
"""A file larger than this is overwritten without a diff."""
DIFF_BYTES = 64 * KIB
"""What is kept of a diff."""
DIFF_CONTEXT_LINES = 3
DIFF_LINE_CHARS = 2000
DIFF_COMPARED_LINES = 10_000
"""A changed stretch of more lines is shown as replaced whole."""
SHOWN_OCCURRENCES = 10
COUNTED_OCCURRENCES = 1000
CLOSEST_LINES = 3
CLOSEST_RATED_LINES = 2000
CLOSEST_SCANNED_LINES = 1_000_000
CLOSEST_LINE_CHARS = 200
ALIGNED_LINES = 2000
"""A replaced region of more lines is not aligned with what it replaces."""

# bash
TAIL_BYTES = 2 * MIB
"""Output kept in memory; more than `MAX_BYTES`, since colours and overwritten lines do not count there."""
CLEANED_BYTES = 16 * KIB
"""Output cleaned in one go."""
RESULT_RAW_BYTES = (192 * KIB, TAIL_BYTES)
"""How much output is cleaned for a result; more if the first leaves less than a result may show."""
UPDATES_PER_SECOND = 20
UPDATE_BYTES = 16 * KIB
"""What one live update shows."""
UPDATE_RAW_BYTES = (32 * KIB, 512 * KIB)
"""How much output is looked at for it; more if the first, cleaned, leaves little."""
UPDATE_FEW_LINES = 10
PIPE_BYTES = MIB
PIPE_READ_BYTES = 256 * KIB
FLOOD_BYTES = 64 * KIB
"""Whoever prints so much before it is read once is faster than anybody looks,"""
FLOOD_PAUSE_SECONDS = 0.001
"""and is read with pauses: two processors busy with it would leave none for keys and the screen."""
COLOURS_CHARS = 128
"""Colour sequences looked back over to find the character that a backspace takes."""
ANSI_DETAILS_BYTES = 32 * KIB
"""What is stored of the coloured output."""
OUTPUT_FILE_BYTES = 2048 * MIB
"""What is kept of one command's full output on disk."""
OUTPUT_FILE_MIN_FREE_BYTES = 512 * MIB
"""Free disk space below which nothing more of it is written."""
OUTPUT_FILES_BYTES = 2048 * MIB
"""All kept outputs together; the oldest go first."""
OUTPUT_FILES_SECONDS = 7 * 24 * 3600
"""How long a full output is kept."""
MAX_TIMEOUT_SECONDS = 7 * 24 * 3600
DRAIN_QUIET_SECONDS = 0.1
"""After the shell has exited: how long the pipe may be silent before it is left."""
DRAIN_SECONDS = 0.5
"""After the shell has exited: how long output of background children is read at all."""
KILL_GRACE_SECONDS = 1.0
"""Between TERM and KILL."""
KILL_WAIT_SECONDS = 2.0
"""After KILL: how long to wait for processes to be gone."""
KILL_POLL_SECONDS = 0.05

# grep, find, ls
GREP_MATCHES = 100
FIND_RESULTS = 1000
LS_ENTRIES = 500
MOST_RESULTS = 10_000
"""The highest `limit` any of them takes."""
GREP_CONTEXT_LINES = 50
GREP_LINE_CHARS = 500
GREP_LINE_BYTES = 16 * MIB
"""A longer line is searched up to here."""
GREP_LINE_SECONDS = 2.0
"""How long one line may be searched with a pattern that does not come to an end."""
RIPGREP_LINE_BYTES = 4 * GREP_LINE_CHARS
SEARCH_POLL_SECONDS = 0.1
SEARCH_ERROR_BYTES = 4 * KIB
IGNORE_FILE_BYTES = MIB
GIT_SECONDS = 2.0
"""How long git may take to tell where its excludes are."""
GLOB_CHOICES = 100
LS_SCANNED_NAMES = 100_000
LS_IGNORED_NAMES = 10
"""Ignored names that a listing tells of."""
