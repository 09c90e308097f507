"""A model of this machine for those who have no key."""

from typing import TYPE_CHECKING

from pi_tui.llm.local_servers import find_local_models

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session


async def use_local_model(session: "Session") -> bool:
    """Asks the servers on this machine, and uses what fits best of theirs; False where there is none."""
    services = session.services
    services.registry.local(await find_local_models())
    settings = services.settings
    model = services.registry.default(settings.default_provider, settings.default_model)
    if model is None:
        return False
    session.set_model(model)
    return True
