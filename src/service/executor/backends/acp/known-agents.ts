// The start of each coding agent that has a name here: its arguments, its variables, and the way to its model. Its package and
// its version are in contract/ci/coding-agents.ts. Pure. By the agents' own documentation and programs, looked up on 2026-11-22;
// tried as docs/self-hosting/acp.md says.
// Why: docs/decisions/054-other-agents-without-a-server.md

import type { CodingAgentName } from "../../../../contract/ci/coding-agents.ts";
import type { CodingAgentWire } from "../../../../contract/models/protocols.ts";
import { MODEL_KEY, MODEL_URL } from "./model-proxy/model-wires.ts";

/** `model` null: the agent chooses one of GitHub's. */
type ChosenModel = { readonly model: string | null; readonly wire: CodingAgentWire };
/** Not of GitHub's API, which Copilot alone speaks to. */
type NamedModel = { readonly model: string; readonly wire: Exclude<CodingAgentWire, "copilot"> };

export type KnownAgent = {
  /** Of the program that speaks ACP. */
  readonly args: readonly string[];
  /** Beside those by which every agent of the protocol finds its model. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it finds in its home at its start: text by path. */
  readonly homeFiles: Readonly<Record<string, string>>;
  /** Null where the environment is enough. */
  readonly authMethod: string | null;
  /** Null where its session begins in a mode that asks before it acts. */
  readonly mode: string | null;
  /**
   * Whether it reads and writes files by asking its client. Gemini CLI 0.61.0 takes every error of its client for one that forbids to go on:
   * it would make no new file (its program, and played on 2026-11-28).
   */
  readonly asksForFiles: boolean;
  /** Whether it ends its turn as if all were well, with the text "Error: …", where its model has answered with an error. */
  readonly answersWithErrors: boolean;
};

const OPENCODE_LIMIT = { context: 200_000, output: 16_000 };
const opencodeClients: Readonly<Record<NamedModel["wire"], string>> = {
  anthropic: "@ai-sdk/anthropic",
  "openai-compatible": "@ai-sdk/openai-compatible",
  gemini: "@ai-sdk/google",
};
/** The end of the address that its clients expect. */
const opencodeVersions: Readonly<Record<NamedModel["wire"], string>> = {
  anthropic: "/v1",
  "openai-compatible": "",
  gemini: "/v1beta",
};

const agents: Readonly<Record<Exclude<CodingAgentName, "copilot">, (chosen: NamedModel) => KnownAgent>> = {
  claude: ({ model }) => ({
    args: [],
    environment: {
      ANTHROPIC_MODEL: model,
      // Its work in the background, for which it would take other models.
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
    homeFiles: {},
    authMethod: null,
    // Its own begins in one that asks a second model in place of the client.
    mode: "default",
    asksForFiles: true,
    answersWithErrors: false,
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
    homeFiles: {},
    authMethod: "api-key",
    mode: null,
    asksForFiles: true,
    answersWithErrors: false,
  }),
  gemini: ({ model }) => ({
    args: ["--acp", "--model", model],
    environment: {
      // It starts no MCP server elsewhere, the gateway included (0.61.0, looked up on 2026-11-29). What an untrusted commit would configure
      // is hidden.
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_TELEMETRY_ENABLED: "false",
      // From a terminal of its own it has a command's output as an array of cells, of which it tells its client nothing
      // (0.61.0, looked up on 2026-11-27).
      GEMINI_PTY_INFO: "child_process",
    },
    // Variables of a repository's .env would be the agent's own: its system prompt is one of them.
    homeFiles: { ".gemini/settings.json": JSON.stringify({ advanced: { ignoreLocalEnv: true } }) },
    authMethod: "gemini-api-key",
    mode: null,
    asksForFiles: false,
    answersWithErrors: false,
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
    homeFiles: {},
    authMethod: null,
    mode: null,
    asksForFiles: true,
    answersWithErrors: false,
  }),
};

/** By its program 1.0.102, played on 2026-11-28. Why: docs/decisions/166-copilot-asks-through-the-proxy.md */
function copilot({ model, wire }: ChosenModel): KnownAgent {
  return {
    args: [
      "--acp",
      "--stdio",
      "--no-auto-update",
      "--no-remote-export",
      "--disable-client-telemetry",
      // Servers of GitHub's, which a run has no network for.
      "--disable-builtin-mcps",
      // There is nobody to ask in the middle of a run.
      "--no-ask-user",
    ],
    environment: {
      COPILOT_AUTO_UPDATE: "false",
      ...(model === null ? {} : { COPILOT_MODEL: model }),
      ...(wire === "copilot" ? {} : copilotsProvider(wire)),
    },
    homeFiles: {},
    authMethod: null,
    mode: null,
    // It does not, though it is offered: apply_patch writes by itself.
    asksForFiles: false,
    answersWithErrors: true,
  };
}

/** A provider in the place of GitHub: it is then asked nothing of GitHub, and needs no account there. */
function copilotsProvider(wire: CodingAgentWire): Readonly<Record<string, string>> {
  return {
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: MODEL_URL,
    COPILOT_PROVIDER_TYPE: wire === "anthropic" ? "anthropic" : "openai",
    COPILOT_PROVIDER_API_KEY: MODEL_KEY,
  };
}

/** The agent's start for this model. Null: the agent has no way to it. */
export function knownAgent(name: CodingAgentName, chosen: ChosenModel): KnownAgent | null {
  if (name === "copilot") return copilot(chosen);
  const { model, wire } = chosen;
  return model === null || wire === "copilot" ? null : agents[name]({ model, wire });
}
