// The policy of the operator's pages: which identities may sign in there, and the settings that are shown. Pure.

import type { OperatorIdentity } from "./operator.ts";

declare module "../core.ts" {
  interface Policy {
    readonly operators: OperatorPolicy;
  }
}

export type OperatorPolicy = {
  readonly identities: readonly OperatorIdentity[];
  /** Of this node, in the order of the documentation. */
  readonly settings: () => readonly SettingGroup[];
};

export type SettingGroup = { readonly title: string; readonly settings: readonly SettingInForce[] };

export type SettingInForce = {
  readonly name: string;
  readonly source: "command line" | "environment" | "default";
  /** In place of a secret's text only that it is set. */
  readonly text: string;
};

export const noOperators: OperatorPolicy = { identities: [], settings: () => [] };
