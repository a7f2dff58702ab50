// A run's question, with a form for the answer.

import { html } from "hono/html";
import { MAX_ANSWER_CHARS } from "../../../../../contract/questions.ts";
import { askedAt, type RunQuestion } from "../../../../core/questions/question.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { timeText } from "../../time-text.ts";
import type { Html } from "../../web-context.ts";
import { textBlock } from "../approve/approval-card.ts";

/** As long as a form may be. */
const MAX_CHARS = Math.min(MAX_ANSWER_CHARS, 10_000);

/** Why the question of a run cannot be answered now. Null: it can. */
type ObstacleOf = (run: RunRecord) => string | null;

/** `refusal` is why the reader answers none of them. */
type Answering = { readonly obstacleOf: ObstacleOf; readonly refusal: string | null };

export function questionCards(questions: readonly RunQuestion[], answering: Answering): Html {
  return html`<ul class="cards">${questions.map((question) => questionCard(question, answering))}</ul>`;
}

function questionCard(question: RunQuestion, { obstacleOf, refusal }: Answering): Html {
  const { run, text } = question;
  // A parked run has its commit.
  const obstacle = refusal ?? (run.parked === undefined ? obstacleOf(run) : null);
  return html`<li class="card">
<p class="row"><a href="/agent/${run.agentId}/runs/${run.id}">A run asks</a><span class="faint end">${timeText(askedAt(run))}</span></p>
${textBlock(text)}
${obstacle === null ? answerForms(question) : html`<p class="note warn">${obstacle}</p>`}
</li>`;
}

function answerForms({ run, choices }: RunQuestion): Html {
  const action = `/agent/${run.agentId}/questions/${run.id}`;
  const field = `answer-${run.id}`;
  // Which question it answers: the run may have asked another one meanwhile.
  const which = html`<input type="hidden" name="asked_at" value="${new Date(askedAt(run)).toISOString()}">`;
  return html`${
    choices.length === 0
      ? ""
      : html`<div class="actions">${choices.map(
          (choice) =>
            html`<form method="post" action="${action}">${which}<input type="hidden" name="answer" value="${choice}"><button>${choice}</button></form>`,
        )}</div>`
  }
<form method="post" action="${action}">
  ${which}
  <label for="${field}">Answer</label>
  <textarea id="${field}" name="answer" maxlength="${MAX_CHARS}" required></textarea>
  <div class="actions"><button class="main">Answer</button></div>
</form>`;
}
