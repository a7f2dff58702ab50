// What agent-sandbox allows of a claim, in the fields that a worker may use. Variables and volumes are none of them: they make a new pod.

import * as z from "zod/mini";

/** Strict, as the API server is when it is asked to be: an unknown field is a fault. */
export const claimSchema = z.strictObject({
  apiVersion: z.literal("extensions.agents.x-k8s.io/v1beta1"),
  kind: z.literal("SandboxClaim"),
  metadata: z.strictObject({
    name: z.string().check(z.regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)),
    namespace: z.string(),
    labels: z.optional(z.record(z.string(), z.string().check(z.maxLength(63)))),
  }),
  spec: z.strictObject({
    warmPoolRef: z.strictObject({ name: z.string() }),
    lifecycle: z.optional(
      z.strictObject({
        shutdownTime: z.optional(z.iso.datetime()),
        ttlSecondsAfterFinished: z.optional(z.int()),
        shutdownPolicy: z.optional(z.enum(["Delete", "DeleteForeground", "Retain"])),
      }),
    ),
    additionalPodMetadata: z.optional(
      z.strictObject({
        labels: z.optional(z.record(z.string(), z.string())),
        annotations: z.optional(z.record(z.string(), z.string())),
      }),
    ),
  }),
});
export const deleteSchema = z.object({ preconditions: z.optional(z.object({ uid: z.string() })) });
