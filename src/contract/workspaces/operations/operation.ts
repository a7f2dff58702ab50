// What takes a while in a workspace, and its route under /v1/workspaces/{workspaceID}/operations. A union on `status`. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";
import { wholeNumber } from "../../fields.ts";
import { operationKinds } from "./operation-kinds.ts";

export const MAX_OPERATION_WAIT_SECONDS = 30;

const timestamp = z.iso.datetime();

const common = {
  id: z.uuid(),
  workspace_id: z.uuid(),
  kind: z.enum(operationKinds),
  progress: z.record(z.string(), z.unknown()),
  created_at: timestamp,
};

export const operationSchema = z.discriminatedUnion("status", [
  z.object({ status: z.literal("queued"), ...common }),
  z.object({ status: z.literal("running"), ...common }),
  z.object({
    status: z.literal("succeeded"),
    ...common,
    result: z.object({
      revision_id: z.optional(z.uuid()),
      unchanged: z.optional(z.boolean()),
      working_copy_id: z.optional(z.uuid()),
    }),
    ended_at: timestamp,
  }),
  z.object({
    status: z.literal("failed"),
    ...common,
    error: z.object({ code: z.string(), error: z.string() }),
    ended_at: timestamp,
  }),
]);
export type OperationView = z.infer<typeof operationSchema>;

/** Query text in, numbers out. */
export const operationQuerySchema = strictObject({
  wait: wholeNumber({ min: 0, max: MAX_OPERATION_WAIT_SECONDS, fallback: 0 }),
});
