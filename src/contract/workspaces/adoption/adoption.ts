// The adoption of a repository agent's files by a workspace, under /v1/workspaces/{workspaceID}/storage. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { adoptionStatuses } from "./adoption-statuses.ts";

export const adoptionSchema = z.object({
  agent_id: z.uuid(),
  status: z.enum(adoptionStatuses),
  sha: z.string(),
  objects: z.int(),
  bytes: z.int(),
  revision_id: z.nullable(z.uuid()),
  operation_id: z.uuid(),
  error: z.nullable(z.object({ code: z.string(), error: z.string() })),
  created_at: z.iso.datetime(),
  ended_at: z.nullable(z.iso.datetime()),
});
export type AdoptionView = z.infer<typeof adoptionSchema>;

export const adoptRequestSchema = strictObject({
  agent_id: z.uuid(),
  sha: z.optional(
    z.string().check(z.regex(/^[0-9a-f]{40}$/, "must be a commit's whole name, 40 digits in lower case")),
  ),
});
export type AdoptRequest = z.infer<typeof adoptRequestSchema>;
