// What can be told of an ID token without believing it: its form, and whom it says it is for. Pure.

const COMPACT_FORM = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}$/;

export function isCompactToken(text: string): boolean {
  return COMPACT_FORM.test(text);
}

/** The audiences that a token names; none where it cannot be read. */
export function audiencesOf(token: string): readonly unknown[] {
  try {
    const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8");
    const claims: unknown = JSON.parse(payload);
    if (typeof claims !== "object" || claims === null || !("aud" in claims)) return [];
    return Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  } catch {
    return [];
  }
}
