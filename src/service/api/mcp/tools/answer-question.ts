// answer_question: the answer as the next run of the question's session, waited for a while.

import { answerQuestionTool } from "../../../../contract/mcp/approval-tools.ts";
import { answerQuestion } from "../../../core/questions/answer-question.ts";
import { followSubmitted } from "../follow-submitted.ts";
import { defineTool } from "../tool.ts";

export const answerQuestionOfRun = defineTool({
  name: "answer_question",
  title: "Answer a question",
  description:
    "Answers the question that a run ended with, and waits for the run that goes on as invoke_agent does. The same answer again gives the same run.",
  hints: { isIdempotent: true, isOpenWorld: true },
  scopes: ["runs:write", "runs:read"],
  schemas: answerQuestionTool,
  run: async ({ run_id: runId, answer, wait_seconds: waitSeconds }, context) => {
    const { core, submitter, caller } = context;
    const answered = await answerQuestion(core, submitter, { caller, runId, answer });
    if (!answered.ok) return answered;
    return await followSubmitted(context, { runId: answered.value.runId, waitSeconds });
  },
});
