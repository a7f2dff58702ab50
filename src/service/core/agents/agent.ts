// An agent, and the repository that it works on. Times are milliseconds since the epoch. Pure.

import type { CiPolicy } from "../../../contract/agents/ci-policy.ts";
import type { Visibility } from "../../../contract/ci/exchange.ts";
import type { EgressEntries } from "../../../contract/egress.ts";

/** The repository that an agent works on. */
export type AgentRepository = {
  readonly provider: string;
  readonly issuer: string;
  readonly id: string;
  readonly ownerId: string;
  /** The latest name seen. A label, never a key. */
  readonly name: string;
  readonly visibility: Visibility;
};

export type Agent = {
  readonly id: string;
  /** The owning account; null until a repository's agent is claimed. */
  readonly accountId: string | null;
  /** With `if_exists: return` it identifies the agent within its account. */
  readonly name: string;
  readonly kind: "independent" | null;
  /** Null: the default model. */
  readonly model: string | null;
  /** Set by the owner. The service does not read it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Micro-USD a turn; 0 stops the advisor, null is no cap. */
  readonly advisorMaxSpendMicroUsd: number | null;
  /** Which CI jobs may run it. Null: all of its repository's. Only a repository's agent that is claimed has one. */
  readonly ciPolicy: CiPolicy | null;
  /** Network access of its runs, at most. Null: its owner has no policy. */
  readonly egress: EgressEntries | null;
  /** Null for an agent that was made by name. */
  readonly repository: AgentRepository | null;
  /** The workspace that it was made with, as its manager, and ends with. Null for every other agent. */
  readonly workspaceId: string | null;
  readonly backend: string;
  readonly createdAt: number;
  /** When it was retired: it takes no more work. */
  readonly retiredAt: number | null;
};

/** An agent that is made with these fields, and has nothing else yet. */
export function newAgent(
  fields: Partial<Agent> & Pick<Agent, "id" | "accountId" | "name" | "backend" | "createdAt">,
): Agent {
  return {
    kind: null,
    model: null,
    config: {},
    advisorMaxSpendMicroUsd: null,
    ciPolicy: null,
    egress: null,
    repository: null,
    workspaceId: null,
    retiredAt: null,
    ...fields,
  };
}
