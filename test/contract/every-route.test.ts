// Every operation of the OpenAPI document, asked for what is there: its owner gets a 2xx, whoever and whatever it should not
// like only what the document says, and never a 500. Of what the document says, all was answered or is named.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Route } from "../../src/contract/route.ts";
import { routes as routeTable } from "../../src/contract/routes.ts";
import {
  type DocumentedRoute,
  documentedRoutes,
  exampleBodies,
  mainCallerOf,
  type Operation,
} from "../support/document-checker.ts";
import type { Asked } from "../support/documented-api.ts";
import { DocumentedWorld, type WorldJob } from "../support/every-route/documented-world.ts";
import { compareNamed, namedAnswers } from "../support/every-route/named-answers.ts";
import { Refusals } from "../support/every-route/refusals.ts";
import { refuseForRoom } from "../support/every-route/refuse-for-room.ts";
import {
  fitted,
  makeStandingThings,
  paramsFor,
  type StandingThings,
  takesAway,
  thingsNamedIn,
} from "../support/every-route/standing-things.ts";
import type { Call } from "../support/service-client.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const ROOT = join(import.meta.dirname, "../..");
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const ODD_IDS = [
  UNKNOWN_ID,
  "x",
  "%00",
  "..%2f..",
  "'; drop table runs; --",
  "%F0%9F%A4%96",
  "i".repeat(5_000),
];

const JSON_TYPE = { "content-type": "application/json" };
const hostileBodies: readonly Call[] = [
  {},
  { raw: "{", headers: JSON_TYPE },
  { raw: "null", headers: JSON_TYPE },
  { raw: '"text"', headers: JSON_TYPE },
  { raw: "[]", headers: JSON_TYPE },
  { raw: "<xml/>", headers: { "content-type": "application/xml" } },
  { form: { a: "b" } },
  { json: {} },
  { json: { unknown: true, name: 7, message: null, prompt: [], version: "1", config: "no" } },
  { json: { name: "\0", message: "\0", prompt: "\0", session_id: "\0", idempotency_key: "\0" } },
  { json: { ci_policy: null } },
  { json: { ci_policy: { refs: ["refs/heads/main"], actors: ["\0"] } } },
];

/** Operations that this test does not bring to a 2xx, and why. At most seven. */
const NOT_ANSWERED: Readonly<Record<string, string>> = {
  sessionsFollow: "A WebSocket: 101, in test/service/api/socket.",
  commitsFind: "Needs commits that are kept by a service: test/service/commits/commit-api.test.ts.",
  commitsSend: "Needs a pack of git: test/service/commits/commit-api.test.ts.",
  runsResume: "Needs a parked run: test/service/parked-runs.test.ts.",
  runsFork: "Needs a run of a model: test/service/forked-runs.test.ts.",
  inboundEmailGet: "No service receives e-mail: always 404 inbound_email_off.",
  adoptionCancel: "Needs an adoption at work: test/service/core/workspaces/adoption/adopt-storage.test.ts.",
};

/** An AI client may in some cases: in a copy of its own, or with a revision that settles the conflicts. */
const ASKS_OWNER_SOMETIMES: ReadonlySet<string> = new Set(["copiesCheckpoint", "changesetsResolve"]);

/** A name that the caller chooses, a commit of git, and an address of a file that is for whoever has it. */
const FOR_WHOEVER_NAMES_IT: ReadonlySet<string> = new Set(["server", "sha", "downloadToken"]);
/** Is compared, and leads to nothing. */
const COMPARED = "expected_current_revision";
/** The first thing of a path is forbidden, what is within a thing of one's own is not there. */
const FOREIGN_CODES = ["forbidden", "not_found"];

const maxBodyBytes: ReadonlyMap<string, number> = new Map(
  Object.values(routeTable)
    .flatMap((ofNoun) => Object.values<Route>(ofNoun))
    .map(({ operationId, body }) => [operationId, body?.maxBytes ?? 0]),
);

/** What takes things away comes last, the innermost thing first. */
const routes = documentedRoutes.toSorted((one, other) => takesAway(one) - takesAway(other));

onEveryStore((kind) => {
  describe("every route", () => {
    let world: DocumentedWorld;
    let mine: StandingThings;
    let theirs: StandingThings;
    let job: WorldJob;

    beforeAll(async () => {
      world = await DocumentedWorld.start(kind);
      const { fixture, api } = world;
      const make = (account: DocumentedWorld["mine"]) =>
        makeStandingThings({ fixture, account, api: api.for(account.owner) });
      mine = await make(world.mine);
      theirs = await make(world.theirs);
      job = await world.job();
    });

    afterAll(() => world.close());

    it("answers its owner with success", async () => {
      const { play, seen } = world;
      await play.ofAgents();
      await play.ofJobs();
      await play.ofApprovals();
      await play.ofWorkspaces();
      expect(seen.withoutSuccess()).toEqual(Object.keys(NOT_ANSWERED).sort());
      expect(Object.keys(NOT_ANSWERED).length).toBeLessThanOrEqual(8);
    });

    it.each(routes)("$method $path finds nothing of another account", async (route) => {
      const { operationId } = route.operation;
      const own = askedOf(route);
      const foreign = paramsFor(route.path, theirs);
      for (const [, name = ""] of route.path.matchAll(/\{(\w+)\}/g)) {
        if (FOR_WHOEVER_NAMES_IT.has(name)) continue;
        expect(foreign, "the other account has one of each thing that a path names").toHaveProperty(name);
        await refusesForeign({ ...own, params: { ...own.params, [name]: foreign[name] ?? "" } });
      }
      for (const [field, name] of thingsNamedIn(own.json)) {
        if (field === COMPARED) continue;
        const json = { ...(fitted(own.json, own.params) as object), [field]: foreign[name] };
        await refusesForeign({ ...own, json });
      }
      if (route.method !== "GET") return;
      const { text } = await world.api.answer(operationId, own);
      for (const id of Object.values({ ...theirs.ofAccount, ...theirs.ofWorkspace }))
        if (id !== theirs.ofAccount.server) expect(text).not.toContain(id);

      async function refusesForeign(asked: Asked): Promise<void> {
        const { status, text, body } = await world.api.answer(operationId, asked);
        const { code } = (body ?? {}) as { code?: string };
        expect(FOREIGN_CODES, `${status} ${text.slice(0, 200)}`).toContain(code);
      }
    });

    it.each(routes)("$method $path says only what the document says", async (route) => {
      const { path, operation } = route;
      const { operationId, requestBody, parameters = [] } = operation;
      const asked = askedOf(route);
      const { params } = asked;
      const answer = (changed: Asked) => world.api.answer(operationId, { ...asked, ...changed });
      for (const bearer of strangers(operation)) await answer({ bearer });
      await answer({ params: { ...params, ...paramsFor(path, theirs) } });
      for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g))
        for (const id of ODD_IDS) await answer({ params: { ...params, [name]: id } });
      await answer({ query: "made_up=1" });
      await answer({ query: `path=${"a".repeat(20_000)}` });
      const { json: _, ...bare } = asked;
      if (requestBody !== undefined)
        for (const body of [...hostileBodies, tooLarge(operationId)])
          await world.api.answer(operationId, { ...bare, ...body });
      for (const json of exampleBodies(operation)) {
        await answer({ json });
        await answer({ json: fitted(json, params) });
      }
      if (parameters.some(({ name }) => name === "Idempotency-Key"))
        await answer({ headers: { "idempotency-key": "k".repeat(256) } });
      await answer({});
    });

    it("refuses what the state of things does not allow", async () => {
      const refusals = new Refusals(world);
      await refusals.ofKeys();
      await refusals.ofErasure();
      await refusals.ofFiles();
      await refusals.ofStates();
      await refusals.ofMoney();
      await refusals.ofTime();
    });

    it("is refused by a node that has no room, and beyond a rate", async () => {
      await refuseForRoom(world.seen, kind);
    });

    it("is declared with no answer that nobody has seen", async () => {
      const { unnamed, needless } = compareNamed(world.seen.missing());
      expect({ unnamed, needless }).toEqual({ unnamed: [], needless: [] });
      for (const { file } of namedAnswers) expect(existsSync(join(ROOT, file)), file).toBe(true);
    });

    it("names AI clients as callers of what they may do, or ask for", async () => {
      const { api, mine: me, fixture } = world;
      const things = await makeStandingThings({ fixture, account: me, api });
      const closed: string[] = [];
      for (const { path, operation } of routes) {
        const { operationId, security } = operation;
        if (!security.some((key) => "oauth" in key) || ASKS_OWNER_SOMETIMES.has(operationId)) continue;
        const params = paramsFor(path, things);
        const [json] = exampleBodies(operation).map((one) => fitted(one, params));
        const { body } = await api.answer(operationId, {
          params,
          bearer: me.aiClient,
          ...(json === undefined ? {} : { json }),
        });
        const { code, approve_url } = (body ?? {}) as { code?: string; approve_url?: string };
        if (code === "owner_needed" && approve_url === undefined) closed.push(operationId);
      }
      expect(closed).toEqual([]);
    });

    /** The request of who is first to make it, for what is there. */
    function askedOf({ path, operation }: DocumentedRoute) {
      const caller = mainCallerOf(operation);
      const bearer = caller === "job" ? job.capability : caller === "owner" ? world.mine.owner : null;
      const params = { ...paramsFor(path, mine), ...(caller === "job" ? job.params : {}) };
      const [example] = exampleBodies(operation);
      const ofFile = operation.parameters?.some(({ name }) => name === "path") ? "path=a.txt" : null;
      const isUpload = operation.requestBody?.content["application/octet-stream"] !== undefined;
      return {
        params,
        bearer,
        ...(example === undefined ? {} : { json: example }),
        ...(isUpload ? { raw: "bytes", headers: { "content-type": "application/octet-stream" } } : {}),
        ...(ofFile === null ? {} : { query: ofFile }),
      };
    }

    /** Credentials that the operation does not take, or not for what is asked for. */
    function strangers(operation: Operation): readonly (string | null)[] {
      const other = mainCallerOf(operation) === "job" ? world.mine.owner : job.capability;
      const known = [world.theirs.owner, world.mine.aiClient, other];
      return [null, "wrong", `svc_sk_${"a".repeat(49)}`, ...known];
    }
  });
});

/** One byte more than the operation reads. */
function tooLarge(operationId: string): Call {
  const bytes = maxBodyBytes.get(operationId) ?? 0;
  return bytes > 12_000_000 ? {} : { raw: JSON.stringify("a".repeat(bytes - 1)), headers: JSON_TYPE };
}
