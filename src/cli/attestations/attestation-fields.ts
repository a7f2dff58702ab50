// A verified statement about a commit, as lines for people: who asked which agent for what, and how that is known. Pure.

import type { AgentRun } from "../../contract/attestations/agent-run.ts";
import type { SignerIdentity } from "./identity.ts";

const MAX_SHOWN = 8;

export function attestationFields(
  run: AgentRun,
  { identity, logIndex }: { readonly identity: SignerIdentity; readonly logIndex: string | null },
): Readonly<Record<string, string | null>> {
  const { prompt, agent, checks, cost, change } = run;
  return {
    "asked by": askerText(run.asker),
    about: run.subject === null ? null : `${run.subject.type.replace("_", " ")} #${run.subject.number}`,
    prompt: prompt === null ? "of another job" : `sha256:${prompt.sha256}`,
    instructions: instructionsText(run.instructions),
    agent: [agent.name ?? "of the service", ...(agent.id === null ? [] : [agent.id])].join(" "),
    action: agent.action === null ? null : `${agent.action.repository}@${agent.action.ref}`,
    models: listText(run.models.map(({ name }) => name)),
    network: networkText(run.policy),
    "MCP servers": listText(run.policy.mcpServers),
    run: `${run.run.id} at ${run.run.service}`,
    time: [run.run.startedAt, run.run.endedAt].map((at) => at ?? "?").join(" to "),
    events: `${run.events.count}, sha256:${run.events.sha256}`,
    checks: checks === null ? "not known" : checksText(checks),
    cost: costText(cost),
    "change of": change.base,
    "patch id": change.patchId === "" ? null : change.patchId,
    workflow: identity.signer,
    runner: identity.runner,
    job: identity.invocation,
    proof: logIndex === null ? "a time stamp" : `entry ${logIndex} of the public log`,
  };
}

function askerText({ event, actor, comment }: AgentRun["asker"]): string {
  const who = actor === null ? "nobody" : `${actor.login} (id ${actor.id})`;
  return `${who}, by ${comment === null ? event : `${comment.type} ${comment.id}`}`;
}

function instructionsText({ commit, files, more }: AgentRun["instructions"]): string {
  const named = listText([...files.map(({ path }) => path), ...Array.from({ length: more }, () => "…")]);
  return `${named ?? "none"} at ${commit}`;
}

function networkText({ egress, reached }: AgentRun["policy"]): string {
  const asked = egress === null ? "as the agent's owner says" : (listText(egress) ?? "none");
  return `${asked}; reached ${listText(reached) ?? "nothing"}`;
}

function checksText({ state, results }: NonNullable<AgentRun["checks"]>): string {
  const each = results.map(({ command, exitCode }) => `${command} (${exitCode ?? "ended"})`);
  return results.length === 0 ? state : `${state}: ${listText(each)}`;
}

function costText({ tokens, credits, microUsd }: AgentRun["cost"]): string | null {
  return listText([
    ...(tokens === null ? [] : [`${tokens} tokens`]),
    ...(credits === null ? [] : [`${credits} credits`]),
    ...(microUsd === null ? [] : [`$${(microUsd / 1_000_000).toFixed(4)}`]),
  ]);
}

function listText(items: readonly string[]): string | null {
  if (items.length === 0) return null;
  const shown = items.slice(0, MAX_SHOWN).join(", ");
  return items.length > MAX_SHOWN ? `${shown} and ${items.length - MAX_SHOWN} more` : shown;
}
