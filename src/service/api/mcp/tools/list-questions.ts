// list_questions: what runs have asked and nobody has answered.

import { ok } from "../../../../base/result.ts";
import { visibleText } from "../../../../base/untrusted-text.ts";
import { listQuestionsTool } from "../../../../contract/mcp/approval-tools.ts";
import { listQuestions } from "../../../core/questions/list-questions.ts";
import { toQuestion } from "../../shared/question-view.ts";
import { withSomeAgent } from "../find-agent.ts";
import { answer, defineTool } from "../tool.ts";

const MAX_QUESTION_CHARS = 600;
const MAX_CHOICES = 10;
const MAX_CHOICE_CHARS = 60;

export const listOpenQuestions = defineTool({
  name: "list_questions",
  title: "List questions",
  description:
    "Questions that runs ended with and nobody has answered. Ask the user, then call answer_question.",
  hints: { isReadOnly: true },
  scopes: ["runs:read"],
  schemas: listQuestionsTool,
  run: async ({ agent: named, limit }, { core, caller }) =>
    await withSomeAgent({ core, caller }, named, async (agentId) => {
      const page = await listQuestions(core, { caller, agentId, before: null, limit });
      const questions = page.questions.map(toQuestion).map((one) => ({
        ...one,
        question: visibleText(one.question).slice(0, MAX_QUESTION_CHARS),
        choices: one.choices
          .slice(0, MAX_CHOICES)
          .map((choice) => visibleText(choice).slice(0, MAX_CHOICE_CHARS)),
      }));
      const text = questions.length === 0 ? "There are no questions." : `${questions.length} questions wait.`;
      const quoted = questions.map(({ run_id, question, choices }) => ({
        label: `What run ${run_id} asked.`,
        text: [question, ...choices.map((choice) => `- ${choice}`)].join("\n").slice(0, MAX_QUESTION_CHARS),
      }));
      return ok({ ...answer({ questions, has_more: page.next !== null }, text), quoted });
    }),
});
