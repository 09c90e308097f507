"""Projections of long sessions, made in a thread so that the screen does not wait for them."""

import asyncio

from pi_tui.session.context import Projection
from pi_tui.session.log import SessionLog

AT_ONCE_BYTES = 1024 * 1024
"""Size of the branch up to which a thread is not worth it."""


async def project(log: SessionLog) -> Projection:
    """What the model sees at the present leaf; to be read, not changed."""
    projecting = log.projecting()
    if isinstance(projecting, Projection):
        return projecting
    if projecting.size <= AT_ONCE_BYTES:
        return log.project()
    projection = await asyncio.to_thread(projecting.make)
    log.keep(projecting.leaf_id, projection)
    return projection
