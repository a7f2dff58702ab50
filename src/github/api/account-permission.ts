// The permission that an account has in the repository now.
// https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user

import * as z from "zod/mini";
import type { GitHubApi } from "./github-api.ts";

const permissionSchema = z.object({
  permission: z.string(),
  role_name: z.optional(z.string()),
  user: z.nullable(z.object({ id: z.int() })),
});

export type AccountPermission = { readonly mayWrite: boolean; readonly accountId: number | null };

/** Null for an account that the code host does not know. Rejects with GitHubError. Safe to repeat. */
export async function readAccountPermission(
  api: GitHubApi,
  login: string,
): Promise<AccountPermission | null> {
  const found = await api.read(`/collaborators/${encodeURIComponent(login)}/permission`, permissionSchema);
  if (found === null) return null;
  const roles = [found.permission, found.role_name ?? ""];
  const mayWrite = ["write", "maintain", "admin"].some((role) => roles.includes(role));
  return { mayWrite, accountId: found.user?.id ?? null };
}
