// Why a question is not found or answered. Pure.

export type QuestionRefusal =
  | { readonly reason: "question_not_found"; readonly runId: string }
  | { readonly reason: "question_answered"; readonly runId: string };
