// Whose model a name looks like: for advice alone, since any API may have a model of any name. Pure.

const forms = [
  { provider: "anthropic", form: /^claude-/ },
  { provider: "openai", form: /^(?:gpt-|chatgpt-|codex-|o\d)/ },
  { provider: "google", form: /^gemini-/ },
  { provider: "openrouter", form: /^[\w.-]+\/[\w.:-]+$/ },
] as const;

/** The word of `model-provider`, or null. */
export function likelyProvider(model: string): (typeof forms)[number]["provider"] | null {
  return forms.find(({ form }) => form.test(model))?.provider ?? null;
}
