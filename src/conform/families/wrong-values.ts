// Each field of each body with values that it must refuse, and fields that nothing has. Bodies of workspaces are asked for elsewhere.

import { NO_ID } from "../kit/beginnings.ts";
import { expectRefused } from "../kit/expect.ts";
import type { Statement } from "../kit/statement.ts";
import { agentOf, retiredAgentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";
import {
  expectNamed,
  missing,
  nested,
  notArray,
  notFilled,
  notInteger,
  notObject,
  notStorable,
  notText,
  notWord,
  tooLong,
  unknownFieldStatements,
  type Wrong,
  wrongValueStatements,
} from "../kit/wrong-values.ts";

const MAX_KEY_CHARS = 255;
const MAX_TURN_TOKENS = 5_000_000;
const DAY_SECONDS = 86_400;

const tooDeep: Wrong = ["66 objects, one in the other", nested(66)];
const below: Wrong = ["-1", -1];
const zero: Wrong = ["0", 0];
/** Of a JSON number that no integer of JavaScript is exact beyond. */
const beyondExact: Wrong = ["2 to the power of 53", 2 ** 53];

const agents = async () => "/v1/agents";
const agent = async (world: World) => `/v1/agents/${await agentOf(world, "owner")}`;
/** A path at which a body that is taken by mistake starts nothing. */
const idle = async (world: World) => `/v1/agents/${await retiredAgentOf(world)}`;
const runs = async (world: World) => `${await idle(world)}/runs`;
const schedules = async (world: World) => `${await idle(world)}/schedules`;
const activate = async () => `/v1/workflows/${NO_ID}/activate`;
const executions = async () => `/v1/workflows/${NO_ID}/executions`;

const [createAgent, updateAgent] = ["POST /v1/agents", "PATCH /v1/agents/{agentID}"];
const submitRun = "POST /v1/agents/{agentID}/runs";
const createSchedule = "POST /v1/agents/{agentID}/schedules";
const part = { type: "text" };
const messages = [{ role: "user", content: "hello", parts: [part] }];

const bodies: readonly Statement[] = [
  ...wrongValueStatements({
    section: "4.1",
    route: createAgent,
    path: agents,
    body: { name: "conform" },
    fields: {
      name: [missing, ...notFilled, tooLong(255), ...notStorable],
      model: notFilled,
      config: [...notObject, tooDeep, ["larger than 64 KB", { text: "x".repeat(65_536) }]],
      if_exists: notWord,
      kind: notWord,
    },
  }),
  ...wrongValueStatements({
    section: "4.1",
    route: updateAgent,
    method: "PATCH",
    path: agent,
    body: {},
    fields: {
      advisor_max_spend_micro_usd: [
        ...notInteger.filter(([, value]) => value !== null),
        below,
        beyondExact,
        ["Infinity in a text", "Infinity"],
      ],
    },
  }),
  ...wrongValueStatements({
    section: "4.2",
    route: submitRun,
    path: runs,
    body: { message: "hello" },
    fields: {
      message: notText,
      messages: [...notArray, ["an empty array", []]],
      session_id: [...notFilled, tooLong(255)],
      idempotency_key: [...notFilled.filter(([, value]) => value !== ""), tooLong(MAX_KEY_CHARS)],
      max_turn_tokens: [...notInteger, below, [String(MAX_TURN_TOKENS + 1), MAX_TURN_TOKENS + 1]],
    },
  }),
  ...wrongValueStatements({
    section: "2.2",
    route: submitRun,
    path: runs,
    body: { messages },
    fields: {
      "messages.0.role": [missing, ...notWord],
      "messages.0.content": [missing, ...notText],
      "messages.0.tool_call_id": notText,
      "messages.0.parts": notArray,
      "messages.0.parts.0.type": [missing, ...notWord],
      "messages.0.parts.0.path": notText,
      "messages.0.parts.0.mime": notText,
      "messages.0.parts.0.w": notInteger,
      "messages.0.parts.0.h": notInteger,
    },
  }),
  ...wrongValueStatements({
    section: "4.3",
    route: createSchedule,
    path: schedules,
    body: { prompt: "Look.", delay_seconds: DAY_SECONDS },
    fields: {
      prompt: [missing, ...notFilled, ...notStorable],
      delay_seconds: [...notInteger, zero, below, ["more than a year", 365 * DAY_SECONDS + 1]],
      session_id: [...notFilled, tooLong(255)],
      metadata: [...notObject, tooDeep, ["larger than 16 KB", { text: "x".repeat(16_384) }]],
    },
  }),
  ...wrongValueStatements({
    section: "4.3",
    route: createSchedule,
    path: schedules,
    body: { prompt: "Look." },
    fields: {
      fire_at: [
        ...notFilled,
        ["no time", "tomorrow"],
        ["a date alone", "2099-01-01"],
        ["a time without a zone", "2099-01-01T00:00:00"],
        ["a time outside of UTC", "2099-01-01T00:00:00+02:00"],
        ["the 13th month", "2099-13-01T00:00:00Z"],
        ["the 30th of February", "2099-02-30T00:00:00Z"],
        ["the 25th hour", "2099-01-01T25:00:00Z"],
      ],
    },
  }),
  ...wrongValueStatements({
    section: "4.5",
    route: "POST /v1/ci/claim",
    path: async () => "/v1/ci/claim",
    body: {},
    fields: { claim: [missing, ...notFilled, tooLong(255)] },
  }),
  ...wrongValueStatements({
    section: "4.5",
    route: "POST /v1/workflows/{id}/activate",
    path: activate,
    body: {},
    fields: { version: [...notInteger, zero, below] },
  }),
  ...wrongValueStatements({
    section: "4.5",
    route: "POST /v1/workflows/{id}/executions",
    path: executions,
    body: {},
    fields: { input: [...notFilled, tooLong(100_000)] },
  }),
];

const unknown: readonly Statement[] = [
  ...unknownFieldStatements({
    section: "4.1",
    route: createAgent,
    path: agents,
    body: { name: "conform" },
    fields: { zzz: null, modell: "model", if_exist: "if_exists", confg: "config", id: null, status: null },
  }),
  ...unknownFieldStatements({
    section: "4.1",
    route: updateAgent,
    method: "PATCH",
    path: agent,
    body: {},
    fields: {
      zzz: null,
      advisor_max_spend: "advisor_max_spend_micro_usd",
      name: null,
      model: null,
      config: null,
    },
  }),
  ...unknownFieldStatements({
    section: "4.2",
    route: submitRun,
    path: runs,
    body: { message: "hello" },
    fields: {
      zzz: null,
      mesage: "message",
      sessionid: "session_id",
      idempotency: "idempotency_key",
      max_tokens: null,
      max_turn_token: "max_turn_tokens",
    },
  }),
  ...unknownFieldStatements({
    section: "2.2",
    route: submitRun,
    path: runs,
    body: { messages },
    fields: {
      "messages.0.zzz": null,
      "messages.0.rolle": "role",
      "messages.0.contents": "content",
      "messages.0.parts.0.zzz": null,
      "messages.0.parts.0.mimee": "mime",
    },
  }),
  ...unknownFieldStatements({
    section: "4.3",
    route: createSchedule,
    path: schedules,
    body: { prompt: "Look.", delay_seconds: DAY_SECONDS },
    fields: {
      zzz: null,
      promt: "prompt",
      delay: "delay_seconds",
      session: "session_id",
      meta_data: "metadata",
      kind: null,
    },
  }),
  ...unknownFieldStatements({
    section: "4.5",
    route: "POST /v1/ci/claim",
    path: async () => "/v1/ci/claim",
    body: { claim: "nobody's" },
    fields: { zzz: null, claims: "claim" },
  }),
  ...unknownFieldStatements({
    section: "4.5",
    route: "POST /v1/workflows/{id}/activate",
    path: activate,
    body: {},
    fields: { zzz: null, versions: "version" },
  }),
  ...unknownFieldStatements({
    section: "4.5",
    route: "POST /v1/workflows/{id}/executions",
    path: executions,
    body: {},
    fields: { zzz: null, inputs: "input", version: null },
  }),
];

type QueryLine = readonly [
  section: string,
  route: string,
  of: (world: World) => Promise<string>,
  name: string,
  values: readonly string[],
];

const someRun = async () => `/v1/ci/runs/${NO_ID}`;
const listedRuns = async (world: World) => `${await agent(world)}/runs`;
const [listAgents, listRuns, readRun] = [
  "GET /v1/agents",
  "GET /v1/agents/{agentID}/runs",
  "GET /v1/ci/runs/{runID}",
];
const notCount = ["-1", "1.5", "ten", "", "1e1", "0x1"];

const queryLines: readonly QueryLine[] = [
  ["4.1", listAgents, agents, "include_independent", ["yes", "1", "", "TRUE"]],
  ["4.1", listAgents, agents, "include_independant", ["true"]],
  ["4.2", listRuns, listedRuns, "limit", [...notCount, "0", "101"]],
  ["4.2", listRuns, listedRuns, "before", ["yesterday", ""]],
  ["4.2", listRuns, listedRuns, "cursor", ["1"]],
  ["4.5", readRun, someRun, "after", notCount],
  ["4.5", readRun, someRun, "wait", [...notCount, "31"]],
  ["4.5", readRun, someRun, "limit", [...notCount, "0", "1001"]],
  ["4.5", readRun, someRun, "cursor", ["1"]],
];

const queries: readonly Statement[] = queryLines.flatMap(([section, route, of, name, values]) =>
  values.map((value): Statement => {
    const shown = `${name}=${value}`;
    return {
      id: `wrong-query/${route}?${shown}`,
      section,
      says: `${route} refuses the query "${shown}", and names "${name}".`,
      check: async (world) => {
        const answer = await world.get(`${await of(world)}?${name}=${encodeURIComponent(value)}`);
        expectNamed(expectRefused(answer, 400, "invalid_request"), name);
      },
    };
  }),
);

export const wrongValues: readonly Statement[] = [...bodies, ...unknown, ...queries];
