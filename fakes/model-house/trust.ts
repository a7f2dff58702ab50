// What an administrator has configured at each provider, and the identifiers that a job names it by. Data alone.

import { type FederatingHouse, federatingHouses } from "../../src/contract/models/providers.ts";

export const houses = federatingHouses;
export type House = FederatingHouse;

export type Trust = {
  /** The fields of an exchange beside the token. */
  readonly identifiers: Readonly<Record<string, string>>;
  /** Fields that may be left out. */
  readonly optional: readonly string[];
  readonly audience: string;
  /** How the subject of a token begins. */
  readonly subjectPrefix: string;
  /** The longest life of an access token. */
  readonly lifeSeconds: number;
  /** Whether a request without a workspace is refused. */
  readonly needsWorkspace: boolean;
  /** Whether a token may be exchanged again. Anthropic's administrators can allow it for an issuer. */
  readonly takesTokensAgain: boolean;
};

const shared = {
  optional: [],
  subjectPrefix: "repo:",
  needsWorkspace: false,
  takesTokensAgain: false,
} as const;

export const trusts: Readonly<Record<House, Trust>> = {
  anthropic: {
    ...shared,
    identifiers: {
      federation_rule_id: "fdrl_01TestRule",
      organization_id: "0f1e2d3c-4b5a-4678-9abc-def012345678",
      service_account_id: "svac_01TestAccount",
      workspace_id: "wrkspc_01TestWorkspace",
    },
    optional: ["workspace_id"],
    audience: "https://api.anthropic.com",
    lifeSeconds: 3600,
  },
  openai: {
    ...shared,
    identifiers: { identity_provider_id: "idp_test", service_account_id: "user-test-account" },
    audience: "https://api.openai.com/v1",
    lifeSeconds: 3600,
  },
  openrouter: {
    ...shared,
    identifiers: { federation_policy_id: "4b2f7d1e-8c3a-4e5f-9a6b-1c2d3e4f5a6b" },
    audience: "https://openrouter.ai",
    lifeSeconds: 900,
  },
};
