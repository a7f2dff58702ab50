// Roles of people in an account: each may do what the one before may, and more. Pure.

export const roles = ["viewer", "member", "admin", "owner"] as const;
export type Role = (typeof roles)[number];

/** Whether `role` may do what `needed` may. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
