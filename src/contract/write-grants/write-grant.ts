// The owner's word that an agent's runs may change something by the tools of an MCP server. Pure.

import * as z from "zod/mini";

export const writeGrantSchema = z.object({
  agent_id: z.uuid(),
  server: z.string(),
  granted_at: z.iso.datetime(),
});
export type WriteGrant = z.infer<typeof writeGrantSchema>;

export const writeGrantListSchema = z.array(writeGrantSchema);
