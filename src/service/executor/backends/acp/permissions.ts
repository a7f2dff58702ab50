// Answers an agent's permission requests by the operator's policy. Pure. It only binds agents that request permission.

import type { PermissionAnswer, PermissionKind, PermissionPolicy } from "./settings.ts";
import { permissionKinds } from "./settings.ts";

type PermissionOption = { readonly optionId: string; readonly kind: string };

export type PermissionDecision = {
  readonly answer: PermissionAnswer;
  readonly kind: PermissionKind;
  /** Null when no offered option fits; the request is then answered as cancelled. */
  readonly optionId: string | null;
};

/** The policy's answer for a kind of tool call; unknown kinds count as "other". */
export function answerTo(policy: PermissionPolicy, kind: string | null): PermissionAnswer {
  return typeof policy === "string" ? policy : policy[knownKind(kind)];
}

export function decidePermission(
  policy: PermissionPolicy,
  request: {
    readonly kind: string | null;
    /** Whether it is a call at the gateway, which has grants of its own: the policy is not asked. Default: it is none. */
    readonly isGateways?: boolean;
    readonly options: readonly PermissionOption[];
  },
): PermissionDecision {
  const answer = request.isGateways === true ? "allow" : answerTo(policy, request.kind);
  // "Once" rather than "always", so that each call is requested and visible in the stream.
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
