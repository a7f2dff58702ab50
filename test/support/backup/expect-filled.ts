// What must be there after a restore.

import { createHash } from "node:crypto";
import { expect } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import { ACCOUNT_NAME, type FilledService } from "./backup-load.ts";

/** Byte by byte, through the API. */
export async function expectFilled(
  client: Client,
  { agentId, runIds, workspaces }: FilledService,
): Promise<void> {
  expect((await client.account.get()).name).toBe(ACCOUNT_NAME);
  for (const { workspaceId, hashes } of workspaces) {
    for (const [path, expected] of hashes) {
      const { body } = await client.files.download({ workspaceId, query: { path } });
      const bytes = Buffer.from(await new Response(body).arrayBuffer());
      expect(createHash("sha256").update(bytes).digest("hex"), path).toBe(expected);
    }
  }
  for (const runId of runIds) expect((await client.runs.get({ agentId, runId })).status).toBe("completed");
}
