// The protocols of models' APIs, by the agent that speaks them, the header in which each takes a key, and the efforts. Pure.

/** Of the built-in agent: "openai" is the Responses API, "openai-compatible" Chat Completions. */
export type ModelProtocol = "anthropic" | "openai" | "google" | "openai-compatible";

/**
 * Of other coding agents: "openai-compatible" is Chat Completions and the Responses API. "copilot" is the API of GitHub Copilot, which has
 * both and Anthropic's messages, by model.
 */
export type CodingAgentWire = "anthropic" | "openai-compatible" | "gemini" | "copilot";

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
    case "copilot":
      return ["authorization", `Bearer ${key}`];
  }
}

/** Efforts of a run's model, in the words of settings, inputs and flags. Each API has its own for it. */
export const efforts = ["low", "medium", "high", "max"] as const;
export type Effort = (typeof efforts)[number];
