// The decision by an owner's policy whether a job may run the agent. Reads verified claims only. Pure.
// Why: docs/decisions/022-the-owners-policy.md

import { type CiPolicy, type CiPolicyRule, ciPolicyRules } from "../../../contract/agents/ci-policy.ts";
import type { JobIdentity } from "../ci-jobs/job-identity.ts";
import type { Agent } from "./agent.ts";

const MAX_SHOWN_CHARS = 500;

/** The owner's rule and the job's value instead: texts that follow "only" and "has". */
type PolicyFault = { readonly detail: string; readonly expected: string; readonly got: string };

type Rule = {
  readonly noun: string;
  /** Null or empty where the token does not name it: then no entry of a list matches. */
  readonly of: (job: JobIdentity) => string | null;
  readonly fits: (entry: string, value: string) => boolean;
};

const isSame = (entry: string, value: string) => entry === value;

const rules: Readonly<Record<CiPolicyRule, Rule>> = {
  events: { noun: "event", of: ({ event }) => event, fits: isSame },
  refs: { noun: "ref", of: ({ ref }) => ref, fits: fitsRef },
  workflows: { noun: "workflow", of: ({ workflow }) => workflow, fits: fitsWorkflow },
  actors: { noun: "actor", of: ({ actorId }) => actorId, fits: isSame },
};

/** The first rule of the agent's policy that the job does not keep; null where the job may run it. */
export function findPolicyFault(
  { id, ciPolicy }: Pick<Agent, "id" | "ciPolicy">,
  job: JobIdentity,
): PolicyFault | null {
  const broken = ciPolicyRules.find((name) => !keeps(rules[name], ciPolicy?.[name], job));
  if (broken === undefined) return null;
  const { noun, of } = rules[broken];
  const value = of(job) || null;
  const expected = shown(`${noun} ${(ciPolicy?.[broken] ?? []).join(" or ")}`);
  const got = shown(value === null ? `no ${noun} in its token` : `${noun} ${value}`);
  const detail = `The repository's owner allows only ${expected}; this job has ${got}. The owner changes that with "agent-service agents policy ${id}".`;
  return { detail, expected, got };
}

function keeps(rule: Rule, entries: CiPolicy[CiPolicyRule], job: JobIdentity): boolean {
  if (entries === undefined) return true;
  const value = rule.of(job) || null;
  return value !== null && entries.some((entry) => rule.fits(entry, value));
}

/**
 * Whether a ref matches a pattern. Segments must be equal, except that `*` at the end of a segment matches the rest of it,
 * and `**` as the last segment matches one or more segments. `*` alone matches one segment.
 */
export function fitsRef(pattern: string, ref: string): boolean {
  const wanted = pattern.split("/");
  const segments = ref.split("/");
  const isDeep = wanted.at(-1) === "**";
  if (isDeep) wanted.pop();
  if (segments.includes("")) return false;
  if (isDeep ? segments.length <= wanted.length : segments.length !== wanted.length) return false;
  return wanted.every((entry, place) => {
    const segment = segments[place] ?? "";
    return entry.endsWith("*") ? segment.startsWith(entry.slice(0, -1)) : segment === entry;
  });
}

/** The path must be equal; the ref must match the pattern, where the entry has one. */
function fitsWorkflow(entry: string, workflow: string): boolean {
  const [path, pattern] = splitWorkflow(entry);
  const [file, ref] = splitWorkflow(workflow);
  return path === file && (pattern === null || (ref !== null && fitsRef(pattern, ref)));
}

/** Splits at the first "@refs/": a branch's name may contain one, the path of a workflow file cannot. */
function splitWorkflow(text: string): [path: string, ref: string | null] {
  const at = text.indexOf("@refs/");
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

/** A text that can be shown: one short line, no control characters. */
function shown(text: string): string {
  const clean = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
  return clean.length <= MAX_SHOWN_CHARS ? clean : `${clean.slice(0, MAX_SHOWN_CHARS)}…`;
}
