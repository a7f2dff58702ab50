// Answers what an agent asks leave for, by the operator's policy. Pure. It binds an agent that asks.

import type { PermissionAnswer, PermissionKind, PermissionPolicy } from "./settings.ts";
import { permissionKinds } from "./settings.ts";

export type PermissionOption = { readonly optionId: string; readonly kind: string };

export type PermissionDecision = {
  readonly answer: PermissionAnswer;
  readonly kind: PermissionKind;
  /** Null: none of what was offered says this; the request is answered as cancelled. */
  readonly optionId: string | null;
};

/** What the policy says of a kind of tool call; of one that it does not know, what it says of others. */
export function answerTo(policy: PermissionPolicy, kind: string | null): PermissionAnswer {
  return typeof policy === "string" ? policy : policy[knownKind(kind)];
}

export function decidePermission(
  policy: PermissionPolicy,
  request: { readonly kind: string | null; readonly options: readonly PermissionOption[] },
): PermissionDecision {
  const answer = answerTo(policy, request.kind);
  // Once rather than always: each call is asked about, and shows in the stream.
  const option = [`${answer}_once`, `${answer}_always`]
    .map((wanted) => request.options.find(({ kind }) => kind === wanted))
    .find((found) => found !== undefined);
  return { answer, kind: knownKind(request.kind), optionId: option?.optionId ?? null };
}

/** The decision as the reader of a run sees it. */
export function describeDecision({ answer, kind }: PermissionDecision): string {
  return `[permission to ${kind}: ${answer === "allow" ? "allowed" : "rejected"} by this service's policy]`;
}

function knownKind(kind: string | null): PermissionKind {
  return permissionKinds.find((known) => known === kind) ?? "other";
}
