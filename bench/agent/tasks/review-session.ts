// A review: tokens that can be guessed, and a check of expiry that is the wrong way round.

import type { ReviewTask } from "../task.ts";

export const reviewSession: ReviewTask = {
  kind: "review",
  toolchain: null,
  term: "isValid",
  prompt:
    "Review the last commit of this repository (HEAD) for defects that would harm its users. Report each defect at its line. Report no matters of taste.",
  files: {
    "src/sessions.mjs": `const sessions = new Map();

export function find(token) {
  return sessions.get(token) ?? null;
}
`,
  },
  change: {
    "src/sessions.mjs": `const sessions = new Map();
const LIFETIME_MS = 3_600_000;

export function find(token) {
  const session = sessions.get(token);
  return session !== undefined && isValid(session) ? session : null;
}

/** Signs a user in. Returns the token that the browser keeps in a cookie. */
export function open(userId) {
  const token = Math.random().toString(36).slice(2);
  sessions.set(token, { userId, expiresAt: Date.now() + LIFETIME_MS });
  return token;
}

export function close(token) {
  sessions.delete(token);
}

function isValid({ expiresAt }) {
  return expiresAt < Date.now();
}
`,
  },
  defects: [
    { path: "src/sessions.mjs", text: "  const token = Math.random().toString(36).slice(2);" },
    { path: "src/sessions.mjs", text: "  return expiresAt < Date.now();" },
  ],
};
