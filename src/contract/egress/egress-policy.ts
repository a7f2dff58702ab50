// What a run may reach of the network, on the wire: one word, or a list. Pure.

import * as z from "zod/mini";
import {
  EGRESS_FORM,
  type EgressEntries,
  egressWords,
  MAX_EGRESS_ENTRIES,
  readEgressEntries,
} from "./egress-entries.ts";

const words = ["none", ...egressWords] as const;
const fault = `must be ${EGRESS_FORM}`;

export const egressPolicySchema = z.union([z.enum(words), z.array(z.string())]);
export type EgressPolicy = z.infer<typeof egressPolicySchema>;

/** A list is not empty: who means that says `none`. */
export const egressPolicyRequestSchema = z.union(
  [
    z.enum(words),
    z.array(z.string()).check(
      z.minLength(1, fault),
      z.maxLength(MAX_EGRESS_ENTRIES, fault),
      z.refine((texts) => readEgressEntries(texts) !== null, fault),
    ),
  ],
  fault,
);

/** The entries of a policy that a request has brought. */
export function entriesOf(policy: EgressPolicy): EgressEntries {
  if (policy === "none") return [];
  return typeof policy === "string" ? [policy] : (readEgressEntries(policy) ?? []);
}

export function policyOf(entries: EgressEntries): EgressPolicy {
  const [first] = entries;
  if (first === undefined) return "none";
  return words.find((word) => entries.length === 1 && word === first) ?? [...entries];
}
