// A statement of the specification, and its needs.

import type { World } from "./world.ts";

/** Needs of statements beside a key of an account, and why it is not asked without. */
export const needs = {
  another_account: "no key of another account was given (AGENT_SERVICE_OTHER_KEY)",
  ai_client: "no key of an AI client was given (AGENT_SERVICE_AI_KEY)",
  issuer: "no issuer of CI tokens was given (--issuer)",
  runs: "no run may be started (--runs)",
  workspaces: "the account is not admitted to workspaces",
  files: "the files of workspaces are closed",
  closed_files: "the files of workspaces are open",
  closed_workspaces: "the account is admitted to workspaces, which are asked about elsewhere",
  signed_in: "the deployment's pages do not sign in by a key",
  empty_account: "no key of an account without credits was given (AGENT_SERVICE_EMPTY_KEY)",
  capped_account: "no key of an account with a small cap of agents was given (AGENT_SERVICE_CAPPED_KEY)",
} as const;

export type Need = keyof typeof needs;

export type Statement = {
  /** Stable, and the same text is never used twice. */
  readonly id: string;
  /** The section of the specification, such as "4.6 rule 7". */
  readonly section: string;
  /** One sentence: what a deployment does that keeps to it. */
  readonly says: string;
  readonly needs?: readonly Need[];
  /** Throws a Difference where the deployment does something else. */
  readonly check: (world: World) => Promise<void>;
};

type Declared = readonly [id: string, says: string, check: Statement["check"], needs?: readonly Need[]];

/** Statements of one section, by hand. */
export function statementsOf(
  section: string,
  { prefix, needs: common = [] }: { readonly prefix: string; readonly needs?: readonly Need[] },
  declared: readonly Declared[],
): readonly Statement[] {
  return declared.map(([id, says, check, more = []]) => ({
    id: `${prefix}.${id}`,
    section,
    says,
    needs: [...common, ...more],
    check,
  }));
}
