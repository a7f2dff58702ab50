// The protocols of models' APIs, by the agent that speaks them, and the header in which each takes a key. Pure.

/** Of the built-in agent: "openai" is the Responses API, "openai-compatible" Chat Completions. */
export type ModelProtocol = "anthropic" | "openai" | "google" | "openai-compatible";

/** Of other coding agents: "openai-compatible" is Chat Completions and the Responses API. */
export type CodingAgentWire = "anthropic" | "openai-compatible" | "gemini";

export function keyHeader(
  protocol: ModelProtocol | CodingAgentWire,
  key: string,
): readonly [name: string, value: string] {
  switch (protocol) {
    case "anthropic":
      return ["x-api-key", key];
    case "google":
    case "gemini":
      return ["x-goog-api-key", key];
    case "openai":
    case "openai-compatible":
      return ["authorization", `Bearer ${key}`];
  }
}
