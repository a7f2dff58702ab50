// The readable parts of an ID token that is not verified: its form and its audiences. Pure.

import { decodeJwt, errors } from "jose";

const COMPACT_FORM = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){2}$/;

export function isCompactToken(text: string): boolean {
  return COMPACT_FORM.test(text);
}

/** The audiences that a token names; none where it cannot be read. */
export function audiencesOf(token: string): readonly string[] {
  try {
    return [decodeJwt(token).aud ?? []].flat();
  } catch (cause) {
    if (cause instanceof errors.JOSEError) return [];
    throw cause;
  }
}
