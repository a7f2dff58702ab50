// Faults that a service has had, or could have, planted one by one at the edge of a real one: the statements that say otherwise
// differ, and no others do.

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { conform, statements } from "../../src/conform/conform.ts";
import { makeEmpty } from "../support/conform/ask-conform.ts";
import {
  type EdgeRequest,
  type Fault,
  type FaultyEdge,
  jsonOf,
  problem,
  startFaultyEdge,
  withJson,
  withoutHeader,
} from "../support/conform/faulty-edge.ts";
import { type DeployedAccount, DeployedService } from "../support/deployments/deployed-service.ts";
import { startDeployment } from "../support/deployments/deployments.ts";
import { askForDeployment } from "../support/deployments/deployments-setup.ts";
import { isLong } from "../support/run/long.ts";
import { sqliteStore } from "../support/stores/stores.ts";

type Accounts = {
  readonly mine: DeployedAccount;
  readonly theirs: DeployedAccount;
  readonly empty: DeployedAccount;
  readonly capped: DeployedAccount;
};

type Planted = {
  readonly name: string;
  readonly fault: (accounts: Accounts) => Fault;
  /** These differ, among others perhaps. */
  readonly found: readonly string[];
  /** All that may differ. */
  readonly about: RegExp;
};

/** What faults are asked beside what they are about, so that they can make something else fail. With TEST_LONG each is asked every statement. */
const control = statements.filter((_, index) => index % 40 === 0).map(({ id }) => id);
/** Each fault is asked a part of them, the next one the next part. */
const CONTROL_PARTS = 10;
const controlOf = (fault: Planted) =>
  control.filter((_, index) => index % CONTROL_PARTS === planted.indexOf(fault) % CONTROL_PARTS);

const isAt = ({ method, path }: EdgeRequest, wanted: string, pattern: RegExp) =>
  method === wanted && pattern.test(path.replace(/\?.*$/, ""));

/** The request without these fields of its body. */
function dropFields(request: EdgeRequest, names: readonly string[]): EdgeRequest {
  const json = jsonOf(request);
  if (json === null || !names.some((name) => name in json)) return request;
  return withJson(
    request,
    Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name))),
  );
}

const asOwner = (request: EdgeRequest, { mine }: Accounts): EdgeRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${mine.ownerKey}` },
});

const planted: readonly Planted[] = [
  {
    name: "unknown fields are ignored (P1)",
    fault: () => ({
      request: (one) => dropFields(one, ["budget", "working_copy", "base_revision", "rolle"]),
    }),
    found: [
      "group.misspelled-budget",
      "checkpoint.misspelled-copy",
      "body/POST /members/unknown field",
      "body/POST /task-groups/unknown field",
      "body/POST /checkpoints/unknown field",
    ],
    about: /misspelled|\/unknown field$/,
  },
  {
    name: "the manager of a workspace is refused with a status that nothing declares (P2)",
    fault: () => ({
      answer: (one) => (jsonOf(one)?.code === "workspace_manager_in_use" ? { ...one, status: 423 } : one),
    }),
    found: ["manager-in-use.retire", "manager-in-use.remove", "manager-in-use.delete"],
    about: /^manager-in-use\./,
  },
  {
    name: "an empty Idempotency-Key beats the body's (P3)",
    fault: () => ({
      request: (one) => (one.headers["idempotency-key"] === "" ? problem(400, "invalid_request") : one),
    }),
    found: ["key.task-groups.empty-header", "key.copies.empty-header"],
    about: /\.empty-header$/,
  },
  {
    name: "replays do not say that they are (P3)",
    fault: () => ({ answer: (one) => withoutHeader(one, "x-svc-idempotent-replay") }),
    found: ["key.task-groups.replay", "key.workspaces.replay"],
    about: /replay/,
  },
  {
    name: "a 412 does not say which ETag holds",
    fault: () => ({
      answer: (one) => {
        const { current_etag, ...json } = jsonOf(one) ?? {};
        return one.status === 412 && current_etag !== undefined ? withJson(one, json) : one;
      },
    }),
    found: ["files-write.copy.stale", "files-write.copy.without", "at-once.copy.losers"],
    about:
      /^files-(write|upload|delete)\..*\.(stale|without|retry|existing)$|^at-once\.(copy|canonical)\.(losers|retries)$/,
  },
  {
    name: "current_etag is a number",
    fault: () => ({
      answer: (one) => {
        const json = jsonOf(one);
        if (one.status !== 412 || json?.current_etag === undefined) return one;
        return withJson(one, { ...json, current_etag: Number(json.current_etag) });
      },
    }),
    found: ["files-write.copy.stale"],
    about:
      /^files-(write|upload|delete)\..*\.(stale|without|retry|existing)$|^at-once\.(copy|canonical)\.(losers|retries)$/,
  },
  {
    name: "If-Match is not read",
    fault: () => ({
      request: (one) =>
        one.headers["if-match"] === undefined
          ? one
          : { ...one, headers: { ...one.headers, "if-match": "*" } },
    }),
    found: ["files-write.copy.stale", "files-write.copy.stale-changes-nothing", "at-once.copy.writers"],
    about: /^files-(write|upload|delete)\.|^at-once\.(copy|canonical)\./,
  },
  {
    name: "a list is oldest first",
    fault: () => ({
      answer: (one, asked) => {
        const json = jsonOf(one);
        if (!isAt(asked, "GET", /\/task-groups$/) || !Array.isArray(json?.items)) return one;
        return withJson(one, { ...json, items: json.items.toReversed() });
      },
    }),
    found: ["page.task-groups.newest-first", "group.list"],
    about: /^page\.task-groups\.|^group\.list$/,
  },
  {
    name: "the last page has a next_cursor",
    fault: () => ({
      answer: (one, asked) => {
        const json = jsonOf(one);
        return isAt(asked, "GET", /\/copies$/) && json?.next_cursor === ""
          ? withJson(one, { ...json, next_cursor: null })
          : one;
      },
    }),
    found: ["page.copies.one-page", "page.copies.all"],
    about: /^page\.copies\./,
  },
  {
    name: "a 202 has no Location",
    fault: () => ({ answer: (one) => (one.status === 202 ? withoutHeader(one, "location") : one) }),
    found: ["operation.copy.location", "operation.checkpoint.location", "operation.delete.location"],
    about: /^operation\..*\.(location|polled)$|^workspace\.delete$/,
  },
  {
    name: "another account's credits are shown",
    fault: ({ mine, theirs }) => ({
      request: (one) => {
        if (
          !one.path.startsWith(`/v1/users/${theirs.id}/`) ||
          one.headers.authorization !== `Bearer ${mine.ownerKey}`
        )
          return one;
        return { ...one, headers: { ...one.headers, authorization: `Bearer ${theirs.ownerKey}` } };
      },
    }),
    found: ["another-account/GET /v1/users/{userID}/credits"],
    about: /users\/\{userID\}\/credits|credits/,
  },
  {
    name: "an AI client confirms a schedule",
    fault: (accounts) => ({
      request: (one) => (isAt(one, "POST", /\/schedules\/[^/]+\/confirm$/) ? onlyOfMine(one, accounts) : one),
    }),
    found: ["workspace-schedule.confirm-by-ai"],
    about: /confirm/,
  },
  {
    name: "an AI client accepts a changeset",
    fault: (accounts) => ({
      request: (one) => (isAt(one, "POST", /\/accept$/) ? onlyOfMine(one, accounts) : one),
    }),
    found: ["accept.ai-client"],
    about: /^accept\.(ai-client|review)|^review/,
  },
  {
    name: "a changeset is accepted without evidence",
    fault: () => ({
      request: (one) => {
        const json = jsonOf(one);
        return isAt(one, "POST", /\/accept$/) && json !== null && json.validation_evidence === ""
          ? withJson(one, { ...json, validation_evidence: "None." })
          : one;
      },
    }),
    found: ["accept.evidence:an empty text"],
    about: /^accept\./,
  },
  {
    name: "a workspace is made without a manager",
    fault: () => ({
      request: (one) => {
        const json = jsonOf(one);
        return isAt(one, "POST", /^\/v1\/workspaces$/) && json?.default_manager_agent_id === null
          ? dropFields(one, ["default_manager_agent_id"])
          : one;
      },
    }),
    found: ["manager.null", "manager.null-makes-nothing"],
    about: /^manager\.null/,
  },
  {
    name: "a key is forgotten",
    fault: () => ({
      request: (one) =>
        isAt(one, "POST", /\/copies$/)
          ? withoutHeader(dropFields(one, ["idempotency_key"]), "idempotency-key")
          : one,
    }),
    found: ["key.copies.header", "key.copies.body", "key.copies.header-reused", "at-once.key.copies"],
    about: /^key\.copies\.|^at-once\.key\.copies$|^body\/POST \/copies\/idempotency_key\//,
  },
  {
    name: "a site is taken away twice",
    fault: () => ({
      answer: (one, asked) =>
        isAt(asked, "PUT", /\/site$/) && jsonOf(asked)?.revision_id === null && one.status === 404
          ? { ...one, status: 200 }
          : one,
    }),
    found: ["site.take-away", "site.take-away-at-once"],
    about: /^site\.|take-site-away$/,
  },
  {
    name: "a run without credits is refused as if somebody else's",
    fault: () => ({
      answer: (one) => (jsonOf(one)?.code === "insufficient_credits" ? problem(403, "forbidden") : one),
    }),
    found: ["empty.402", "empty.workspace-run", "empty.key-is-free"],
    about: /^empty|^payment/,
  },
  {
    name: "the cap of agents does not say when to come again",
    fault: () => ({
      answer: (one, asked) =>
        isAt(asked, "POST", /^\/v1\/agents$/) && one.status === 429 ? withoutHeader(one, "retry-after") : one,
    }),
    found: ["agent-cap.retry-after"],
    about: /^agent-cap\./,
  },
  {
    name: "a revision is read in windows",
    fault: () => ({
      request: (one) => {
        if (!isAt(one, "GET", /\/revisions\/[^/]+\/files\/(read|download)$/)) return one;
        return { ...one, path: one.path.replace(/&(offset|limit)=\d+/g, "") };
      },
    }),
    found: ["files-read.revision.offset", "files-read.revision.limit", "files-download.revision.limit"],
    about: /^files-(read|download)\.revision\.(offset|limit)/,
  },
];

/** What an open service answers about a workspace without files. */
const closedForWritersOnly: Fault = {
  answer: (one, asked) => {
    if (asked.method !== "GET" || jsonOf(one)?.code !== "workspaces_not_admitted") return one;
    if (/\/files\/list/.test(asked.path))
      return { ...one, status: 200, body: Buffer.from('{"items":[],"next_cursor":""}') };
    if (/\/bundle$/.test(asked.path)) return { ...one, status: 200, body: Buffer.from("# v2 git bundle\n") };
    return problem(404, "not_found");
  },
};

/** An AI client's request with its owner's key. */
function onlyOfMine(request: EdgeRequest, accounts: Accounts): EdgeRequest {
  const isOfAi = request.headers.authorization === `Bearer ${accounts.mine.aiKey}`;
  return isOfAi ? asOwner(request, accounts) : request;
}

async function differing(
  edge: FaultyEdge,
  { mine, theirs, empty, capped }: Accounts,
  only: readonly string[],
) {
  const result = await conform({
    baseUrls: [edge.url],
    credentials: {
      owner: mine.ownerKey,
      other: theirs.ownerKey,
      ai: mine.aiKey,
      empty: empty.ownerKey,
      capped: capped.ownerKey,
    },
    issuer: null,
    mayRun: false,
    only,
    userAgent: "planted-faults",
    signal: new AbortController().signal,
  });
  return result.outcomes.filter(({ status }) => status === "differs").map(({ statement }) => statement.id);
}

async function accountsOf(of: DeployedService): Promise<Accounts> {
  return {
    mine: await of.account(),
    theirs: await of.account(),
    empty: await makeEmpty(of),
    capped: await of.account("registered_free"),
  };
}

describe("a fault that is planted at the edge of a service", () => {
  const timeout = isLong ? 1_800_000 : 600_000;
  let service: DeployedService;
  let edge: FaultyEdge;
  let accounts: Accounts;

  beforeAll(async () => {
    service = await DeployedService.attach(
      await askForDeployment(inject("deployments"), "one process on SQLite"),
    );
    edge = await startFaultyEdge(service.url());
    accounts = await accountsOf(service);
  });

  afterAll(async () => {
    await edge.close();
    await service.detach();
  });

  it("is none: every statement holds at the edge as it is", { timeout }, async () => {
    edge.plant(null);
    const named = planted.flatMap(({ found }) => found);
    expect(await differing(edge, accounts, isLong ? [] : [...control, ...named])).toEqual([]);
  });

  it.each(planted)("$name: is found, and nothing else", { timeout }, async (one) => {
    const { fault, found, about } = one;
    edge.plant(fault(accounts));
    const near = statements.filter(({ id }) => about.test(id)).map(({ id }) => id);
    const only = isLong ? [] : [...found, ...near, ...controlOf(one)];
    const differs = await differing(edge, accounts, only);
    expect(differs).toEqual(expect.arrayContaining([...found]));
    expect(differs.filter((id) => !about.test(id))).toEqual([]);
  });

  it("files are closed for writers only (X9): is found, and nothing else", { timeout }, async () => {
    const running = await startDeployment(sqliteStore, ["all"], { WORKSPACE_FILES: "off" });
    const closed = await DeployedService.attach(running.handle);
    const gate = await startFaultyEdge(closed.url());
    try {
      const owners = await accountsOf(closed);
      const only = isLong ? [] : ["gate", ...control];
      expect(await differing(gate, owners, only)).toEqual([]);
      gate.plant(closedForWritersOnly);
      const differs = await differing(gate, owners, only);
      const reads = differs.filter((id) => id.startsWith("gate/GET "));
      expect(reads).toHaveLength(12);
      expect(differs.filter((id) => !reads.includes(id))).toEqual(["gate.bundle"]);
    } finally {
      await gate.close();
      await closed.detach();
      await running.close();
    }
  });
});
