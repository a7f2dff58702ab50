// A run's question as the contract shows it. Pure.

import type { Question } from "../../../contract/questions.ts";
import { askedAt, type RunQuestion } from "../../core/questions/question.ts";

export function toQuestion({ run, text, choices }: RunQuestion): Question {
  return {
    run_id: run.id,
    agent_id: run.agentId,
    session_id: run.sessionId,
    question: text,
    choices: [...choices],
    asked_at: new Date(askedAt(run)).toISOString(),
  };
}
