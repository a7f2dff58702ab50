// GET /v1/ci/runs/{runID}: the durable events of a run, by cursor and long poll.

import { Hono } from "hono";
import { ciRunQuerySchema } from "../../../../contract/ci/ci-run.ts";
import type { Core } from "../../../core/core.ts";
import { type EventPage, readEventPage } from "../../../core/runs/read-run.ts";
import { refundCaller } from "../../shared/admit-caller.ts";
import { toRun } from "../../shared/run-view.ts";
import { callerOf } from "../authenticate.ts";
import { answerTagged, tagBody } from "../entity-tag.ts";
import { answerProblem, answerRefusal } from "../problems.ts";
import { decode } from "../read-body.ts";
import type { Env, RequestContext } from "../request-context.ts";

export function ciRunRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();

  routes.get("/v1/ci/runs/:runId", async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const query = decode(ciRunQuerySchema, context.req.query(), "The query");
    if (!query.ok) return answerProblem(context, query.refusal);
    const { after, wait, limit } = query.value;
    const hangUp = hangUpOf(context);
    const page = await readEventPage(core, {
      caller: caller.value,
      runId: context.req.param("runId"),
      after,
      limit,
      waitMs: wait * 1000,
      signal: hangUp.signal,
    });
    hangUp.stop();
    if (!page.ok) return answerRefusal(context, page.refusal);
    // Polls come as often as events do: how often that is, is the run's doing.
    if (page.value.wasWoken) refundCaller(core, caller.value);

    return answerTagged(context, {
      ...tagBody(toJson(page.value)),
      contentType: "application/json",
      cacheControl: "private, no-cache",
    });
  });

  return routes;
}

/** The page as the contract has it. Events are JSON already: they are put in, not parsed and written again. */
function toJson({ run, events, next, done }: EventPage): string {
  const items = events.map(
    ({ seq, at, json }) => `{"seq":${seq},"at":"${new Date(at).toISOString()}","event":${json}}`,
  );
  return `{"run":${JSON.stringify(toRun(run))},"events":[${items.join(",")}],"next":${next},"done":${done}}`;
}

/** Aborts when the reader goes away, so that nobody waits for it. */
function hangUpOf(context: RequestContext): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const onClose = () => controller.abort();
  const { outgoing } = context.env;
  outgoing.once("close", onClose);
  if (outgoing.destroyed) onClose();
  return { signal: controller.signal, stop: () => outgoing.off("close", onClose) };
}
