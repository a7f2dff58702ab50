// The caller of a request. Every use case that acts for a caller receives one.

import { ok, type Result, refused } from "../../../base/result.ts";
import type { TokenScope } from "../../../contract/oauth/scopes.ts";
import { isAtLeast, type Role } from "../../../contract/roles.ts";
import { type AuditActor, nobody } from "../audit/audit-entry.ts";
import type { Capability } from "../ci-jobs/capability.ts";
import type { Core } from "../core.ts";
import type { AccessToken, CallerClass } from "./credential.ts";
import type { RoleRefusal, ScopeRefusal } from "./refusals.ts";

/** What a run says of the person who starts it, and is bounded by. */
export type CallerPerson = {
  /** What others know them by. Left out: nobody has said it. */
  readonly personName?: string;
  /** What the runs that they start may cost a day. Left out: no cap of theirs. */
  readonly dayCapMicroUsd?: number;
};

/** As a join reads it. */
export function callerPerson(read: { name: string | null; dayCapMicroUsd: number | null }): CallerPerson {
  return {
    ...(read.name === null || read.name === "" ? {} : { personName: read.name }),
    ...(read.dayCapMicroUsd === null ? {} : { dayCapMicroUsd: read.dayCapMicroUsd }),
  };
}

/** A CI job with a capability for one repository's agent. */
export type CiJobCaller = { readonly kind: "ci_job"; readonly capability: Capability };
/** The holder of an account's credential: its owner, or an AI client that acts for the owner. */
export type AccountCaller = CallerPerson & {
  readonly kind: "account";
  readonly accountId: string;
  readonly callerClass: CallerClass;
  /** The person who acts, or for whom a key or an application does. Null: the account itself, or a CI job with its token. */
  readonly personId: string | null;
  /** What the person may do in the account, as of now. */
  readonly role: Role;
  /** The access token of an application, for the acts that its scopes allow. None for keys and sessions, which have no scopes. */
  readonly accessToken?: AccessToken;
  /** The owner's name for the key. */
  readonly clientName?: string;
};
export type Caller = CiJobCaller | AccountCaller;

/** The prefix of the secrets of each caller class: of an AI client's keys, and of access tokens, which act for it too. */
export const keyPrefixes: Readonly<Record<CallerClass, string>> = { owner: "svc_sk_", ai_client: "svc_at_" };

/** Refuses an access token that is not good for all of what an operation needs. Keys, sessions and jobs have no scopes. */
export function needScopes(caller: Caller, needed: readonly TokenScope[]): Result<null, ScopeRefusal> {
  const granted = caller.kind === "account" ? caller.accessToken?.scopes : undefined;
  if (granted === undefined || needed.every((scope) => granted.includes(scope))) return ok(null);
  return refused({ reason: "scope_needed", needed });
}

/** Refuses a person whose role is less than what an operation needs, and whoever acts for them. Jobs have no role. */
export function needRole(caller: Caller, needed: Role): Result<null, RoleRefusal> {
  if (caller.kind !== "account" || isAtLeast(caller.role, needed)) return ok(null);
  return refused({ reason: "role_needed", needed, role: caller.role });
}

/** Who the audit trail says has done what a caller does. */
export function actorOf(caller: Caller): AuditActor {
  if (caller.kind !== "account") return nobody;
  return { personId: caller.personId, clientId: caller.accessToken?.clientId ?? null };
}

/** The account itself, for what its people have set in motion before. */
export function accountItself(accountId: string, callerClass: CallerClass): AccountCaller {
  return { kind: "account", accountId, callerClass, personId: null, role: "owner" };
}

/** The account, for what this person has set in motion. They may have left it since. */
export async function accountFor(
  { store }: Pick<Core, "store">,
  { accountId, personId }: { readonly accountId: string; readonly personId: string | null },
): Promise<AccountCaller> {
  const itself = accountItself(accountId, "owner");
  if (personId === null) return itself;
  const member = await store.committed.people.findMember({ accountId, personId });
  if (member === null) return { ...itself, personId };
  const { name, dayCapMicroUsd = null } = member;
  return { ...itself, personId, ...callerPerson({ name, dayCapMicroUsd }) };
}

/**
 * True for a person of the account who decides for it: an owner or an admin in person or by an owner's key. Not for an AI
 * client that acts for them.
 */
export function isOwner(caller: Caller): boolean {
  return caller.kind === "account" && caller.callerClass === "owner" && isAtLeast(caller.role, "admin");
}
