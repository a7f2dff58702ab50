// Network access of a run, as people write it (`none`, `setup`, `registries`, names of hosts) and on the wire: one word, or a
// list. Pure.

import * as z from "zod/mini";
import { type Kind, kind } from "../base/settings/setting.ts";

export const MAX_EGRESS_ENTRIES = 50;
const MAX_HOST_CHARS = 253;

const HTTPS_PORT = 443;

/** `setup`: package registries, while the run's setup executes. `registries`: package registries, the whole run. */
const egressWords = ["setup", "registries"] as const;

/** Words and hosts: lower case, each once, in the order in which they were written. Empty: nothing can be reached. */
export type EgressEntries = readonly string[];

/** A host as a policy names it: `*.` stands for every name below, and a port is there where it is not 443. */
export type HostEntry = { readonly name: string; readonly port: number };

const EGRESS_FORM =
  "none, or a list of host names (*.example.com for all below, :port where it is not 443), registries and setup";

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostPattern = new RegExp(`^(?:${label}\\.)*${label}$`);
/** The last label of what some programs take for an IPv4 address: 127.0.0.1, 2130706433, 0x7f.1. */
const numericEnd = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/** True for a name in lower case, without a dot at its end, that no program takes for an address, and no person for a word. */
export function isHostName(name: string): boolean {
  return name !== "none" && name.length <= MAX_HOST_CHARS && hostPattern.test(name) && !numericEnd.test(name);
}

/** Null where it is none. */
export function readHostEntry(text: string): HostEntry | null {
  const [, wildcard = "", host = "", digits] =
    /^(\*\.)?([^:]*)(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  const port = digits === undefined ? HTTPS_PORT : Number(digits);
  return isHostName(host) && port >= 1 && port <= 65_535 ? { name: wildcard + host, port } : null;
}

export function hostText({ name, port }: HostEntry): string {
  return port === HTTPS_PORT ? name : `${name}:${port}`;
}

/** The entries of a list, each in its one spelling. Null where one is wrong, or there are too many. */
export function readEgressEntries(texts: readonly string[]): EgressEntries | null {
  if (texts.length > MAX_EGRESS_ENTRIES) return null;
  const entries = texts.map((text) => {
    const word = egressWords.find((known) => known === text.toLowerCase());
    const host = word === undefined ? readHostEntry(text) : null;
    return word ?? (host === null ? null : hostText(host));
  });
  const read = entries.filter((entry) => entry !== null);
  return read.length === entries.length ? [...new Set(read)] : null;
}

/** As a setting, an input or a flag: separated by commas or white space. */
export const egressKind: Kind<EgressEntries> = kind(EGRESS_FORM, (text) => {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length === 1 && words[0]?.toLowerCase() === "none") return [];
  return readEgressEntries(words) ?? undefined;
});

/** The other way round. */
export function egressText(entries: EgressEntries): string {
  return entries.length === 0 ? "none" : entries.join(", ");
}

const words = ["none", ...egressWords] as const;
const fault = `must be ${EGRESS_FORM}`;

export const egressPolicySchema = z.union([z.enum(words), z.array(z.string())]);
type EgressPolicy = z.infer<typeof egressPolicySchema>;

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
