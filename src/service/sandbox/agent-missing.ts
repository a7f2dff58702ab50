// A coding agent that is not installed: the package to install, and the places where it is looked for.

import { OperatorError } from "../../base/operator-error.ts";
import { type CodingAgentName, codingAgents, installCommand } from "../../contract/ci/coding-agents.ts";

export class AgentMissingError extends OperatorError {
  override readonly name = "AgentMissingError";
  readonly code = "agent_not_installed";
}

/** One line. */
export function missingText(agent: CodingAgentName): string {
  const { title, program } = codingAgents[agent];
  return (
    `${title} is not installed: there is no program "${program}" in PATH (a checkout's own folders do not count). ` +
    `Install it before: ${installCommand(agent)}`
  );
}
