// The address of an agent's settings, for whoever has to ask its owner.

import type { Core } from "../core.ts";

export function agentSettingsUrl({ policy }: Pick<Core, "policy">, agentId: string): string {
  return `${policy.webUrl}/agent/${agentId}/settings`;
}
