// How the service reads an agent's repository when no job has sent the commit. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../base/strict-object.ts";

/** What an owner may choose. Where nothing is chosen, the jobs send the commits. */
export const chosenAccessKinds = ["deploy_key", "github_app"] as const;
export type ChosenAccessKind = (typeof chosenAccessKinds)[number];
export const accessKinds = ["none", ...chosenAccessKinds] as const;

export const repositoryAccessSchema = z.object({
  agent_id: z.uuid(),
  kind: z.enum(accessKinds),
  /** Where the repository is fetched from. Absent with `none`. */
  url: z.optional(z.string()),
  /** Of a deploy key alone, as an `authorized_keys` file has it. */
  public_key: z.optional(z.string()),
  fingerprint: z.optional(z.string()),
  created_at: z.optional(z.iso.datetime()),
  /** Why it cannot be used now, and what to do. Absent where nothing is known to hinder it. */
  fault: z.optional(z.string()),
});
export type RepositoryAccess = z.infer<typeof repositoryAccessSchema>;

export const putRepositoryAccessSchema = strictObject({
  kind: z.enum(chosenAccessKinds, `must be one of: ${chosenAccessKinds.join(", ")}`),
});
