// The coding agents that a job can choose by name: their packages, and the protocols that they speak to their models. Pure.
// Versions looked up in npm's registry on 2026-11-22, Copilot's on 2026-11-28.

import { isLoopbackName } from "../../base/confidential-url.ts";
import { httpUrl } from "../../base/settings/kinds.ts";
import { type Kind, kind } from "../../base/settings/setting.ts";
import type { CodingAgentWire } from "../models/protocols.ts";
import { modelProviders } from "../models/providers.ts";

export const codingAgentNames = ["claude", "codex", "copilot", "gemini", "opencode"] as const;
export type CodingAgentName = (typeof codingAgentNames)[number];

/** Settings of the built-in agent alone: another one has settings of its own for it. Names of inputs and of flags. */
export const builtInAgentsSettings = ["effort", "explore-model", "fallback-model"] as const;

/**
 * The API of GitHub Copilot, which takes the token of a job with "copilot-requests: write" (docs.github.com, "Using GITHUB_TOKEN with
 * Copilot CLI", looked up on 2026-11-28).
 */
export const COPILOT_API_URL = "https://api.githubcopilot.com";

/**
 * An address of GitHub's models: the general one, one of a plan, or one of an enterprise with data residency. A token of GitHub is sent
 * there, so it is one of GitHub's hosts, or on loopback.
 */
export const copilotUrl: Kind<string> = kind(
  'an address of GitHub Copilot, like "https://api.business.githubcopilot.com", or one on loopback',
  (text) => {
    const url = httpUrl.decode(text);
    if (!url.ok) return undefined;
    const { protocol, hostname } = new URL(url.value);
    const isGitHubs = protocol === "https:" && /^[\w.-]+\.(githubcopilot\.com|ghe\.com)$/.test(hostname);
    return isGitHubs || isLoopbackName(hostname) ? url.value : undefined;
  },
);

type CodingAgent = {
  readonly title: string;
  /** Of npm, and the version that was tried. */
  readonly package: string;
  readonly version: string;
  /** The program that speaks ACP. */
  readonly program: string;
  /** The protocols of the models that it can be pointed to. */
  readonly wires: readonly [CodingAgentWire, ...CodingAgentWire[]];
  /** The API of its model where no address is given, with its version. Null: one has to be given. */
  readonly ownBaseUrl: string | null;
  /** Whether a job's GitHub token opens that API, and the agent chooses a model there by itself. */
  readonly takesGitHubToken: boolean;
};

export const codingAgents: Readonly<Record<CodingAgentName, CodingAgent>> = {
  claude: {
    title: "Claude Code",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.101.0",
    program: "claude-agent-acp",
    wires: ["anthropic"],
    ownBaseUrl: modelProviders.anthropic.apiBaseUrl,
    takesGitHubToken: false,
  },
  codex: {
    title: "Codex",
    package: "@agentclientprotocol/codex-acp",
    version: "2.6.0",
    program: "codex-acp",
    wires: ["openai-compatible"],
    ownBaseUrl: modelProviders.openai.apiBaseUrl,
    takesGitHubToken: false,
  },
  copilot: {
    title: "GitHub Copilot CLI",
    package: "@github/copilot",
    version: "1.0.102",
    program: "copilot",
    wires: ["copilot", "openai-compatible", "anthropic"],
    ownBaseUrl: COPILOT_API_URL,
    takesGitHubToken: true,
  },
  gemini: {
    title: "Gemini CLI",
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    wires: ["gemini"],
    ownBaseUrl: modelProviders.google.apiBaseUrl,
    takesGitHubToken: false,
  },
  opencode: {
    title: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    wires: ["openai-compatible", "anthropic", "gemini"],
    ownBaseUrl: null,
    takesGitHubToken: false,
  },
};

/** The command that installs the version which was tried. */
export function installCommand(name: CodingAgentName): string {
  const { package: packageName, version } = codingAgents[name];
  return `npm install --global ${packageName}@${version}`;
}
