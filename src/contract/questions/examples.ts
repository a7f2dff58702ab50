// Examples of questions. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID, RUN_ID, THREAD_ID } from "../story.ts";
import type { questionRoutes } from "./routes.ts";

export const questionExamples: ExamplesOf<typeof questionRoutes> = {
  list: {
    answers: {
      200: {
        questionList: {
          summary: "One question",
          value: [
            {
              run_id: RUN_ID,
              agent_id: AGENT_ID,
              session_id: THREAD_ID,
              question: "Which of the two parsers is to stay?",
              choices: ["The new one", "The old one"],
              asked_at: "2026-03-09T10:05:00.000Z",
            },
          ],
        },
      },
    },
  },
  answer: {
    body: { answerQuestion: { summary: "An answer", value: { answer: "The new one" } } },
    answers: {
      202: { questionAnswered: { summary: "Queued", value: { run_id: RUN_ID, session_id: THREAD_ID } } },
    },
  },
};
