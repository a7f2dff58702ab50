// Refusals of a history's thoughts by APIs: a signature, an encrypted content, what they are bound to. Pure. Their words are
// matched: few have a code, and gateways answer with other statuses. Looked up on 2026-11-23.

type Wording = { readonly of: string; readonly pattern: RegExp };

const wordings: readonly Wording[] = [
  {
    of: "Anthropic, platform.claude.com/docs/build-with-claude/preserved-thinking; also behind OpenRouter, Bedrock and Vertex AI",
    pattern:
      /invalid \\?[`'"]?(?:signature|data)\\?[`'"]? in \\?[`'"]?(?:redacted_)?thinking\\?[`'"]? block/i,
  },
  {
    of: "Anthropic, of a thought that was changed",
    pattern: /thinking\\?[`'"]? blocks in the latest assistant message cannot be modified/i,
  },
  {
    of: "Anthropic, of a thought that another API wrote",
    pattern: /thinking\.(?:signature|data): field required/i,
  },
  {
    of: "OpenAI Responses, vercel/ai issue 7099 and TanStack/ai issue 1212",
    pattern: /was provided without its required (?:following item|\\?[`'"]?reasoning\\?[`'"]? item)/i,
  },
  {
    of: "OpenAI Responses, openai/codex issue 8119",
    pattern: /invalid_encrypted_content|encrypted content .{0,400}could not be (?:verified|decrypted)/i,
  },
  {
    of: "OpenAI Responses, of reasoning without its encrypted content",
    pattern: /items are not persisted when .{0,10}store.{0,10} is set to false/i,
  },
  {
    of: "Google, google-gemini/gemini-cli issue 13467; Vertex AI",
    pattern: /(?:corrupted|invalid) thought[_ ]?signature|thought[_ ]?signature is not valid/i,
  },
  {
    of: "Google, crmne/ruby_llm issue 521",
    pattern: /invalid value at .{0,100}thought_signature/i,
  },
  {
    of: "Google, of a call that another model made",
    pattern: /function call is missing a thought_signature/i,
  },
];

/** They are about the key, whatever is in them. */
const otherStatuses: readonly number[] = [401, 402, 403];

/** `status` is undefined for an error within a stream. */
export function refusesThoughts(status: number | undefined, text: string): boolean {
  if (status !== undefined && otherStatuses.includes(status)) return false;
  return wordings.some(({ pattern }) => pattern.test(text));
}
