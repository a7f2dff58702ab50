// /v1/agents/{agentID}/schedules: create, list, read, confirm, cancel.

import { type Context, Hono } from "hono";
import { createScheduleRequestSchema } from "../../../../contract/schedules/schedule.ts";
import type { Caller } from "../../../core/accounts/caller.ts";
import type { Core } from "../../../core/core.ts";
import { cancelSchedule } from "../../../core/schedules/cancel-schedule.ts";
import { confirmSchedule } from "../../../core/schedules/confirm-schedule.ts";
import { createSchedule } from "../../../core/schedules/create-schedule.ts";
import { findSchedule, listSchedules } from "../../../core/schedules/read-schedule.ts";
import type { ScheduleRecord } from "../../../core/schedules/schedule-machine.ts";
import { toSchedule } from "../../shared/schedule-view.ts";
import { callerOf } from "../authenticate.ts";
import { answerProblem, answerRefusal } from "../problems.ts";
import { readBody } from "../read-body.ts";
import type { Env } from "../request-context.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const ALL = "/v1/agents/:agentId/schedules";
const ONE = "/v1/agents/:agentId/schedules/:scheduleId";

export function scheduleRoutes(core: Core): Hono<Env> {
  const routes = new Hono<Env>();
  const view = (schedule: ScheduleRecord) => toSchedule(schedule, core.policy);

  routes.post(ALL, async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const body = await readBody(context, {
      schema: createScheduleRequestSchema,
      maxBytes: MAX_BODY_BYTES,
      acceptsForm: false,
    });
    if (!body.ok) return answerProblem(context, body.refusal);
    const agentId = context.req.param("agentId");
    const created = await createSchedule(core, { caller: caller.value, agentId, body: body.value });
    return created.ok ? context.json(view(created.value), 201) : answerRefusal(context, created.refusal);
  });

  routes.get(ALL, async (context) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const agentId = context.req.param("agentId");
    const schedules = await listSchedules(core, { caller: caller.value, agentId });
    return schedules.ok ? context.json(schedules.value.map(view)) : answerRefusal(context, schedules.refusal);
  });

  /** The three that name one schedule differ only in what they do to it. */
  type OneSchedule = (
    core: Core,
    request: { caller: Caller; agentId: string; scheduleId: string },
  ) => ReturnType<typeof confirmSchedule>;
  const act = (work: OneSchedule) => async (context: Context<Env, typeof ONE>) => {
    const caller = await callerOf(core, context);
    if (!caller.ok) return answerRefusal(context, caller.refusal);
    const { agentId, scheduleId } = context.req.param();
    const schedule = await work(core, { caller: caller.value, agentId, scheduleId });
    return schedule.ok ? context.json(view(schedule.value)) : answerRefusal(context, schedule.refusal);
  };

  routes.get(ONE, act(findSchedule));
  routes.delete(ONE, act(cancelSchedule));
  routes.post(`${ONE}/confirm`, act(confirmSchedule));

  return routes;
}
