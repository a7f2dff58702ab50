// The code of an error of Node or of the system, such as ENOENT. Pure.

/** Undefined where the error has none. */
export function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}

/** Whether a failure of the file system means that its disk, or the quota of this user, has no room. */
export function hasNoRoom(cause: unknown): boolean {
  const code = errorCode(cause);
  return code === "ENOSPC" || code === "EDQUOT";
}

/** The code in brackets, behind the words of a message: ` (ECONNREFUSED)`. Empty where the error has none. */
export function errorCodeNote(cause: unknown): string {
  const code = errorCode(cause);
  return code === undefined ? "" : ` (${code})`;
}
