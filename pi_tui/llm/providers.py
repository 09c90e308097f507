"""The hosted providers known without models.json: where they are, what they speak, what names their keys."""

from msgspec import Struct


class Provider(Struct, frozen=True):
    id: str
    name: str
    api: str
    base_url: str
    key_variables: tuple[str, ...]
    """Environment variables that may hold a key, the first one being the usual."""


def _openai_like(provider: str, name: str, base_url: str, *variables: str) -> Provider:
    return Provider(provider, name, "openai-completions", base_url, variables)


_PROVIDERS = (
    Provider(
        "anthropic",
        "Anthropic",
        "anthropic-messages",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_AUTH_TOKEN"),
    ),
    Provider("openai", "OpenAI", "openai-responses", "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    _openai_like(
        "google",
        "Google Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
    ),
    _openai_like("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    _openai_like("deepseek", "DeepSeek", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    _openai_like("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
    _openai_like("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    _openai_like("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    _openai_like("moonshotai", "Moonshot AI", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    _openai_like("zai", "Z.ai", "https://api.z.ai/api/coding/paas/v4", "ZAI_API_KEY"),
    _openai_like("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    _openai_like("together", "Together AI", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    _openai_like("fireworks", "Fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    _openai_like("baseten", "Baseten", "https://inference.baseten.co/v1", "BASETEN_API_KEY"),
    _openai_like(
        "alibaba",
        "Alibaba Cloud (Qwen)",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
    ),
    _openai_like("xiaomi", "Xiaomi MiMo", "https://api.xiaomimimo.com/v1", "XIAOMI_API_KEY"),
    _openai_like("minimax", "MiniMax", "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
    _openai_like(
        "vercel-ai-gateway", "Vercel AI Gateway", "https://ai-gateway.vercel.sh/v1", "AI_GATEWAY_API_KEY"
    ),
)

PROVIDERS = {provider.id: provider for provider in _PROVIDERS}
