from tests.support.fake_server import fake_llm

__all__ = ["fake_llm"]
