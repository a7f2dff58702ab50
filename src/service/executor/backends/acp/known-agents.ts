// The start of each coding agent that has a name here: its arguments, its variables, and the way to its model. Its package and
// its version are in contract/ci/coding-agents.ts. Pure. By the agents' own documentation and programs, looked up on 2026-11-22;
// tried as docs/self-hosting/acp.md says.
// Why: docs/decisions/054-other-agents-without-a-server.md

import type { CodingAgentName } from "../../../../contract/ci/coding-agents.ts";
import type { CodingAgentWire } from "../../../../contract/models/protocols.ts";
import { MODEL_KEY, MODEL_URL } from "./model-proxy/model-wires.ts";

type ChosenModel = { readonly model: string; readonly wire: CodingAgentWire };

export type KnownAgent = {
  /** Of the program that speaks ACP. */
  readonly args: readonly string[];
  /** Beside those by which every agent of the protocol finds its model. */
  readonly environment: Readonly<Record<string, string>>;
  /** Null where the environment is enough. */
  readonly authMethod: string | null;
  /** Null where its session begins in a mode that asks before it acts. */
  readonly mode: string | null;
  /**
   * Whether it reads and writes files by asking its client. Gemini CLI 0.61.0 takes every error of its client for one that forbids to go on:
   * it would make no new file (its program, and played on 2026-11-28).
   */
  readonly asksForFiles: boolean;
};

const OPENCODE_LIMIT = { context: 200_000, output: 16_000 };
const opencodeClients: Readonly<Record<CodingAgentWire, string>> = {
  anthropic: "@ai-sdk/anthropic",
  "openai-compatible": "@ai-sdk/openai-compatible",
  gemini: "@ai-sdk/google",
};
/** The end of the address that its clients expect. */
const opencodeVersions: Readonly<Record<CodingAgentWire, string>> = {
  anthropic: "/v1",
  "openai-compatible": "",
  gemini: "/v1beta",
};

const agents: Readonly<Record<CodingAgentName, (chosen: ChosenModel) => KnownAgent>> = {
  claude: ({ model }) => ({
    args: [],
    environment: {
      ANTHROPIC_MODEL: model,
      // Its work in the background, for which it would take other models.
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
    authMethod: null,
    // Its own begins in one that asks a second model in place of the client.
    mode: "default",
    asksForFiles: true,
  }),
  codex: ({ model }) => ({
    args: [],
    environment: {
      CODEX_API_KEY: MODEL_KEY,
      NO_BROWSER: "1",
      // Its own sandbox does not work within ours.
      INITIAL_AGENT_MODE: "agent-full-access",
      MODEL_PROVIDER: "own",
      CODEX_CONFIG: JSON.stringify({
        model,
        model_provider: "own",
        model_providers: {
          own: { name: "Own", base_url: MODEL_URL, env_key: "CODEX_API_KEY", wire_api: "responses" },
        },
        approval_policy: "on-request",
        sandbox_mode: "danger-full-access",
        // Its provider would search, beyond the run's network: the proxy refuses that.
        web_search: "disabled",
      }),
    },
    authMethod: "api-key",
    mode: null,
    asksForFiles: true,
  }),
  gemini: ({ model }) => ({
    args: ["--acp", "--model", model],
    environment: {
      GEMINI_TELEMETRY_ENABLED: "false",
      // From a terminal of its own it has a command's output as an array of cells, of which it tells its client nothing
      // (0.61.0, looked up on 2026-11-27).
      GEMINI_PTY_INFO: "child_process",
    },
    authMethod: "gemini-api-key",
    mode: null,
    asksForFiles: false,
  }),
  opencode: ({ model, wire }) => ({
    args: ["acp"],
    environment: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        share: "disabled",
        model: `own/${model}`,
        small_model: `own/${model}`,
        permission: { edit: "ask", bash: "ask" },
        provider: {
          own: {
            npm: opencodeClients[wire],
            options: { baseURL: `${MODEL_URL}${opencodeVersions[wire]}`, apiKey: MODEL_KEY },
            models: { [model]: { name: model, limit: OPENCODE_LIMIT } },
          },
        },
      }),
    },
    authMethod: null,
    mode: null,
    asksForFiles: true,
  }),
};

/** The agent's start for this model. */
export function knownAgent(name: CodingAgentName, chosen: ChosenModel): KnownAgent {
  return agents[name](chosen);
}
