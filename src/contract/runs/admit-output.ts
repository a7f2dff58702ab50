// Admission of a typed output that was declared: out of its list, within its maximum, in its form. The service asks at the call,
// and the job before it writes. Pure.
// Why: docs/decisions/146-typed-outputs.md

import { assertNever } from "../../base/assert-never.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import { singleLine, visibleText } from "../../base/untrusted-text.ts";
import {
  MAX_OUTPUT_BODY_CHARS,
  MAX_OUTPUT_TITLE_CHARS,
  type OutputOf,
  type OutputType,
  type TypedOutput,
  type TypedOutputs,
} from "./typed-outputs.ts";

const MAX_SHOWN_CHARS = 100;

/**
 * The part of the output that the earlier ones do not say already, null where they say all of it. A refusal is a sentence: what, and
 * what is allowed.
 */
export function admitOutput(
  declared: TypedOutputs,
  earlier: readonly TypedOutput[],
  asked: TypedOutput,
): Result<TypedOutput | null, string> {
  if (declared[asked.type] === undefined) return refused(undeclared(asked.type, declared));
  switch (asked.type) {
    case "labels": {
      const there = earlierOf(earlier, "labels").flatMap(({ labels }) => labels);
      const chosen = choose(declared.labels, { what: "label", there, asked: asked.labels });
      return chosen.ok ? ok(chosen.value && { type: "labels", labels: chosen.value }) : chosen;
    }
    case "assign": {
      const there = earlierOf(earlier, "assign").flatMap(({ logins }) => logins);
      const chosen = choose(declared.assign, { what: "assignee", there, asked: asked.logins });
      return chosen.ok ? ok(chosen.value && { type: "assign", logins: chosen.value }) : chosen;
    }
    case "reviewers": {
      const there = earlierOf(earlier, "reviewers").flatMap(({ reviewers }) => reviewers);
      const chosen = choose(declared.reviewers, { what: "reviewer", there, asked: asked.reviewers });
      return chosen.ok ? ok(chosen.value && { type: "reviewers", reviewers: chosen.value }) : chosen;
    }
    case "dispatch": {
      const { workflows, max } = declared.dispatch ?? { workflows: [], max: 0 };
      const there = earlierOf(earlier, "dispatch").map(({ workflow }) => workflow);
      const chosen = choose(
        { allowed: workflows, max },
        { what: "workflow", there, asked: [asked.workflow] },
      );
      return chosen.ok ? ok(chosen.value && { type: "dispatch", workflow: asked.workflow }) : chosen;
    }
    case "close": {
      const [there] = earlierOf(earlier, "close");
      const allowed = declared.close?.reasons ?? [];
      const chosen = choose(
        { allowed, max: 1 },
        { what: "reason", there: there === undefined ? [] : [there.reason], asked: [asked.reason] },
      );
      return chosen.ok ? ok(chosen.value && { type: "close", reason: asked.reason }) : chosen;
    }
    case "issue":
    case "discussion":
      return admitText(declared[asked.type]?.max ?? 0, { there: earlierOf(earlier, asked.type), asked });
    default:
      return assertNever(asked);
  }
}

/** All that the list holds of what was declared, with a sentence for each that is refused. */
export function admitOutputs(
  declared: TypedOutputs,
  asked: readonly TypedOutput[],
): {
  readonly admitted: readonly TypedOutput[];
  readonly refused: readonly { readonly type: OutputType; readonly why: string }[];
} {
  const admitted: TypedOutput[] = [];
  const refusedOnes: { type: OutputType; why: string }[] = [];
  for (const one of asked) {
    const verdict = admitOutput(declared, admitted, one);
    if (!verdict.ok) refusedOnes.push({ type: one.type, why: verdict.refusal });
    else if (verdict.value !== null) admitted.push(verdict.value);
  }
  return { admitted, refused: refusedOnes };
}

function earlierOf<Type extends OutputType>(all: readonly TypedOutput[], type: Type): OutputOf<Type>[] {
  return all.filter((one): one is OutputOf<Type> => one.type === type);
}

function undeclared(type: string, declared: TypedOutputs): string {
  return `The output "${type}" is not declared. Declared: ${Object.keys(declared).join(", ")}.`;
}

type Bounds = { readonly allowed: readonly string[]; readonly max: number };

/** Those that are new; null where all are there. */
function choose(
  bounds: Bounds | undefined,
  { what, there, asked }: { what: string; there: readonly string[]; asked: readonly string[] },
): Result<string[] | null, string> {
  const { allowed, max } = bounds ?? { allowed: [], max: 0 };
  const wrong = asked.find((one) => !allowed.includes(one));
  if (wrong !== undefined) return refused(notAllowedText(what, { asked: wrong, allowed }));
  const added = [...new Set(asked)].filter((one) => !there.includes(one));
  if (added.length === 0) return asked.length === 0 ? refused(`Name at least one ${what}.`) : ok(null);
  if (there.length + added.length > max) {
    const asked = there.length === 0 ? "" : ` ${there.map(quoted).join(", ")} was asked for before.`;
    return refused(
      `A run may ask for ${max} ${what}${max === 1 ? "" : "s"} at most, this would make ${there.length + added.length}.${asked}`,
    );
  }
  return ok(added);
}

export function notAllowedText(
  what: string,
  { asked, allowed }: { readonly asked: string; readonly allowed: readonly string[] },
): string {
  const nearest = nearestName(asked, allowed);
  const meant = nearest === null ? "" : ` Did you mean ${quoted(nearest)}?`;
  const all = allowed.map(quoted).join(", ");
  return `${quoted(asked)} is no ${what} that may be chosen.${meant} Allowed: ${all}.`;
}

type Text = OutputOf<"issue" | "discussion">;

function admitText(
  max: number,
  { there, asked }: { there: readonly Text[]; asked: Text },
): Result<Text | null, string> {
  const { type, title, body } = asked;
  const shown = singleLine(title, MAX_OUTPUT_TITLE_CHARS);
  if (shown === "" || title.length > MAX_OUTPUT_TITLE_CHARS)
    return refused(`A title has from 1 to ${MAX_OUTPUT_TITLE_CHARS} characters, this one ${title.length}.`);
  if (body.trim() === "" || body.length > MAX_OUTPUT_BODY_CHARS)
    return refused(`A text has from 1 to ${MAX_OUTPUT_BODY_CHARS} characters, this one ${body.length}.`);
  if (there.some((one) => one.title === shown)) return ok(null);
  if (there.length >= max) return refused(`A run may ask for ${max} ${type}${max === 1 ? "" : "s"} at most.`);
  return ok({ type, title: shown, body: visibleText(body) });
}

function quoted(text: string): string {
  return `"${singleLine(text, MAX_SHOWN_CHARS)}"`;
}
