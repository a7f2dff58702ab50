// Resources of MCP clients, read by an address: runs and agents of the caller's account. Whatever is not theirs is not found.

import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { singleLine } from "../../../base/untrusted-text.ts";
import { isTerminal } from "../../../contract/runs/run.ts";
import { ndjsonLine } from "../../../render/ndjson.ts";
import { renderRunReport } from "../../../render/run-report.ts";
import { findAgent, listAgents } from "../../core/agents/manage-agent.ts";
import { listRuns } from "../../core/runs/list-runs.ts";
import { readEventPage } from "../../core/runs/read-run.ts";
import { toAgent } from "../shared/agent-view.ts";
import { toRun } from "../shared/run-view.ts";
import { type CallParts, mayUse } from "./call-parts.ts";
import { parseResourceUri, type ResourceAddress, runUri } from "./resource-uri.ts";
import { type WatchedRun, watchRun } from "./watch-run.ts";

const MAX_LISTED = 20;
/** Agents whose runs are looked at for the list. */
const MAX_LISTED_AGENTS = 10;
const MAX_REPORT_BYTES = 200_000;
const EVENTS_A_READ = 1_000;
const MAX_NAME_CHARS = 80;
/** A run that has ended does not change. */
const ENDED_MS = 3_600_000;

export const resourceTemplates: readonly ResourceTemplateType[] = [
  {
    uriTemplate: "run://{run_id}",
    name: "run",
    title: "A run's report",
    description: "How the run stands, what its agent said, changed and did.",
    mimeType: "text/markdown",
  },
  {
    uriTemplate: "run://{run_id}/patch",
    name: "run_patch",
    title: "A run's patch",
    description: "What the run changed, as a git patch.",
    mimeType: "text/x-diff",
  },
  {
    uriTemplate: "run://{run_id}/events{?after}",
    name: "run_events",
    title: "A run's events",
    description: `Events of the run (AG-UI), one a line, ${EVENTS_A_READ} at most, from the one behind number \`after\` on.`,
    mimeType: "application/x-ndjson",
  },
  {
    uriTemplate: "agent://{agent_id}",
    name: "agent",
    title: "An agent",
    description: "The agent with its config.",
    mimeType: "application/json",
  },
];

/** The latest runs of the account's newest agents. Everything else is reached by a template. */
export async function listResources(parts: CallParts): Promise<readonly Resource[]> {
  const { core, caller } = parts;
  if (!mayUse(parts, ["runs:read", "agents:read"])) return [];
  const agents = await listAgents(core, { caller, withIndependent: false });
  if (!agents.ok) return [];
  const latest = agents.value.slice(0, MAX_LISTED_AGENTS);
  const lists = await Promise.all(
    latest.map(async ({ id: agentId, name }) => {
      const page = await listRuns(core, {
        caller,
        agentId,
        sessionKey: null,
        before: null,
        limit: MAX_LISTED,
      });
      return page.ok ? page.value.runs.map((run) => ({ run, agent: name })) : [];
    }),
  );
  const runs = lists.flat().sort((one, other) => other.run.submittedAt - one.run.submittedAt);
  return runs.slice(0, MAX_LISTED).map(({ run, agent }) => ({
    uri: runUri(run.id),
    name: `${singleLine(agent, MAX_NAME_CHARS)}, ${new Date(run.submittedAt).toISOString()}`,
    title: `Run of ${singleLine(agent, MAX_NAME_CHARS)}: ${run.status}`,
    mimeType: "text/markdown",
    annotations: { lastModified: new Date(run.endedAt ?? run.submittedAt).toISOString() },
  }));
}

/** Throws a ResourceNotFoundError. */
export async function readResource(parts: CallParts, uri: string): Promise<ReadResourceResult> {
  const address = parseResourceUri(uri);
  const scope = address?.kind === "agent" ? "agents:read" : "runs:read";
  if (address === null || !mayUse(parts, [scope])) throw new ResourceNotFoundError(uri);
  const { text, mimeType, isFinal } = await contentOf(parts, { uri, address });
  return {
    contents: [{ uri, mimeType, text }],
    ...(isFinal ? { ttlMs: ENDED_MS, cacheScope: "private" as const } : {}),
  };
}

type ResourceContent = { readonly text: string; readonly mimeType: string; readonly isFinal: boolean };
type Asked<Kind extends ResourceAddress["kind"] = ResourceAddress["kind"]> = {
  readonly uri: string;
  readonly address: Extract<ResourceAddress, { readonly kind: Kind }>;
};

async function contentOf(parts: CallParts, { uri, address }: Asked): Promise<ResourceContent> {
  switch (address.kind) {
    case "agent":
      return await agentContent(parts, { uri, address });
    case "events":
      return await eventsContent(parts, { uri, address });
    case "patch": {
      const { run, report } = await readRun(parts, { uri, runId: address.runId });
      return { text: report.changes?.patch ?? "", mimeType: "text/x-diff", isFinal: isTerminal(run.status) };
    }
    case "report": {
      const { run, report } = await readRun(parts, { uri, runId: address.runId });
      const text = renderRunReport(report, { run: toRun(run), maxBytes: MAX_REPORT_BYTES });
      return { text, mimeType: "text/markdown", isFinal: isTerminal(run.status) };
    }
  }
}

async function agentContent(
  { core, caller }: CallParts,
  { uri, address }: Asked<"agent">,
): Promise<ResourceContent> {
  const agent = await findAgent(core, { caller, agentId: address.agentId });
  if (!agent.ok) throw new ResourceNotFoundError(uri);
  const text = JSON.stringify(toAgent(agent.value, core.policy), null, 2);
  return { text, mimeType: "application/json", isFinal: false };
}

async function eventsContent(
  { core, caller }: CallParts,
  { uri, address: { runId, after } }: Asked<"events">,
): Promise<ResourceContent> {
  const signal = AbortSignal.abort();
  const page = await readEventPage(core, { caller, runId, after, limit: EVENTS_A_READ, waitMs: 0, signal });
  if (!page.ok) throw new ResourceNotFoundError(uri);
  const lines = page.value.events.map(({ seq, at, json }) =>
    ndjsonLine({ seq, at: new Date(at).toISOString(), event: JSON.parse(json) }),
  );
  return { text: lines.join(""), mimeType: "application/x-ndjson", isFinal: page.value.done };
}

async function readRun(
  parts: CallParts,
  { uri, runId }: { readonly uri: string; readonly runId: string },
): Promise<WatchedRun> {
  const watcher = { ...parts, signal: AbortSignal.abort(), progress: async () => {} };
  const watched = await watchRun(watcher, { runId, waitMs: 0 });
  if (!watched.ok) throw new ResourceNotFoundError(uri);
  return watched.value;
}
