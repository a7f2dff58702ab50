// The operator's settings of an ACP agent. Types only.

import type { Rates } from "../../../core/money/rates.ts";
import type { AgentPlaces, AgentStart, StartedAgent } from "../../../core/ports/agent-start.ts";
import type { OpenServers } from "../../tools/mcp/run-servers.ts";
import type { ModelAccess } from "./model-proxy/model-access.ts";

export const permissionKinds = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "other",
] as const;
export type PermissionKind = (typeof permissionKinds)[number];

export type PermissionAnswer = "allow" | "reject";

/** One answer for all permission requests, or one a kind. */
export type PermissionPolicy = PermissionAnswer | Readonly<Record<PermissionKind, PermissionAnswer>>;

/** Folders of agents: each has one as its home, and maybe one for the socket to its model. */
export type AgentHomes = {
  /** `earlier` is the name that one had; the new one has it where it is free. */
  make(earlier?: string): Promise<string>;
  /** Ends whoever still has it as its home, and removes it. Safe to repeat. */
  remove(folder: string): Promise<void>;
};

export type AcpSettings = {
  /** The agent's name in messages. */
  readonly title: string;
  /** Starts the agent; it speaks ACP on its standard input and output. */
  readonly command: readonly [string, ...string[]];
  /** The path in which its program and its tools are looked for. */
  readonly path: string;
  /** The agent's own settings. Beside them it gets `PATH`, a fresh `HOME` and a locale. */
  readonly environment: Readonly<Record<string, string>>;
  /** What it finds in its home at its start: text by path. */
  readonly homeFiles: Readonly<Record<string, string>>;
  /** Those that `environment` holds, for the masking of what the agent says. */
  readonly secrets: readonly string[];
  /** Access of runs to the agent's model without its key. Null: the agent reaches it by itself. */
  readonly model: ModelAccess | null;
  /** Which of the agent's own ways to log in is used; null where its environment is enough. */
  readonly authMethod: string | null;
  /** The mode that its session is put into; null: the one that it begins in. */
  readonly mode: string | null;
  /** Whether it reads and writes files by asking the service. False: by itself, in its checkout. */
  readonly asksForFiles: boolean;
  /** Whether a turn that ends with the text "Error: …" has failed: its model answered with an error. */
  readonly answersWithErrors: boolean;
  readonly permissions: PermissionPolicy;
  /** From its start to its session. */
  readonly startTimeoutMs: number;
  /** Between the steps of an ending: asked to cancel, asked to end, ended. */
  readonly stopGraceMs: number;
  /** The time that it may work without a word. */
  readonly idleTimeoutMs: number;
  /** Between two entries of a run's journal. */
  readonly keepEveryMs: number;
  readonly homes: AgentHomes;
  /** Rates of the model's tokens. */
  readonly rates: Rates;
  /** The port at which an agent with a loopback of its own finds its model. Null: it has this machine's network. */
  readonly relayPort: number | null;
  /** Opens the MCP servers of a run. Null: runs have none. */
  readonly openServers: OpenServers | null;
  /**
   * How the agent reaches the MCP server of the run's tools. `port`: in a network of its own; null: it has this machine's. `node`: the
   * program of Node, as the agent sees it, by which one that takes no HTTP reaches it.
   */
  readonly gateway: { readonly port: number | null; readonly node: string };
  /** Starts the agent in a sandbox of this machine, held to its limits. Null: it runs beside the service, or in places of its own. */
  readonly confine: ((start: AgentStart) => Promise<StartedAgent>) | null;
  /** Places for agents that are not this machine. Null: they work here. */
  readonly places: AgentPlaces | null;
};
