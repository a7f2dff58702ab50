// What the fields of questions mean. Pure.

import { type Components, collection, component } from "../component.ts";
import { answerQuestionRequestSchema, questionListSchema, questionSchema } from "./question.ts";

export const questionComponents: Components = {
  Question: component(questionSchema, "A run that ended with a question.", {
    run_id: "The run that asked.",
    agent_id: "Its agent.",
    session_id: "The session in which the answer is the next message.",
    question: "The question, in Markdown. The agent wrote it.",
    choices: "Answers to choose from; any other is as good.",
    asked_at: "When the run ended.",
  }),
  QuestionList: collection(questionListSchema, "Questions, newest first."),
  AnswerQuestionRequest: component(answerQuestionRequestSchema, "An answer.", {
    answer: "The message of the next run.",
  }),
};
