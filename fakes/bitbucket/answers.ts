// Answers as Bitbucket gives them. https://developer.atlassian.com/cloud/bitbucket/rest/intro/#standardized-error-responses (2026-11-29)

export type Answer = { readonly status: number; readonly answer: unknown };

export function badRequest(message: string): Answer {
  return { status: 400, answer: { type: "error", error: { message } } };
}

export const FORBIDDEN: Answer = { status: 403, answer: { type: "error", error: { message: "Forbidden" } } };
export const NOT_FOUND: Answer = {
  status: 404,
  answer: { type: "error", error: { message: "Resource not found" } },
};
export const UNAUTHORIZED: Answer = {
  status: 401,
  answer: {
    type: "error",
    error: { message: "Token is invalid, expired, or not supported for this endpoint." },
  },
};

export function scopesLacking(required: readonly string[], granted: readonly string[]): Answer {
  return {
    status: 403,
    answer: {
      type: "error",
      error: {
        message: "Your credentials lack one or more required privilege scopes.",
        detail: { granted, required },
      },
    },
  };
}
