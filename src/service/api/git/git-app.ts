// /v1/workspaces/{workspaceID}.git: a workspace as a repository of git's smart protocol over HTTP, for `git clone`, `git fetch` and
// `git push`. gitprotocol-http(5).
// Why: docs/decisions/182-workspaces-are-git-servers.md

import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Hono } from "hono";
import { FLUSH, PacketError, PacketReader, packetLine } from "../../../base/git/packet-lines.ts";
import { ok, type Result, refused } from "../../../base/result.ts";
import type { TokenScope } from "../../../contract/oauth/scopes.ts";
import type { Role } from "../../../contract/roles.ts";
import { type AccountCaller, needRole, needScopes } from "../../core/accounts/caller.ts";
import type { Core } from "../../core/core.ts";
import { invalidRequest, type PublicProblem } from "../../core/ports/problem.ts";
import { fetchByGit } from "../../core/workspaces/git/serve-fetch.ts";
import { openPush, takePush } from "../../core/workspaces/git/take-push.ts";
import { workspaceUrl } from "../../core/workspaces/workspace-url.ts";
import { answerBytes } from "../http/bytes/answer-bytes.ts";
import { RequestBodyError, requestBytes } from "../http/bytes/request-bytes.ts";
import { type FaceContext, type FaceEnv, type FaceParts, prepareFace } from "../http/face.ts";
import { type HangUp, hangUpOf } from "../http/hang-up.ts";
import { admitCaller } from "../shared/admit-caller.ts";
import { type Refusal, toProblem } from "../shared/problems/to-problem.ts";
import { credentialOf } from "./credential.ts";
import { REPOSITORY_PATH } from "./paths.ts";
import { hintsOf, KEEP_ALIVE, pushAdvertisement, pushAnswer } from "./push-answer.ts";
import { type PushCommands, readCommands } from "./push-request.ts";

/** What was had of a large history, and what is wanted of it. */
const MAX_FETCH_BYTES = 16 * 1024 * 1024;
/** A push is bounded by what git may store of it. */
const MAX_PUSH_BYTES = 20_000_000_000;
const KEEP_ALIVE_MS = 10_000;
const PROTOCOL = /^version=[0-2](:[\w.=:-]{1,200})?$/;

const services = {
  "git-upload-pack": { scope: "workspaces:read", role: "viewer" },
  "git-receive-pack": { scope: "workspaces:write", role: "member" },
} as const satisfies Readonly<Record<string, { scope: TokenScope; role: Role }>>;
type Service = keyof typeof services;

export function gitApp({ core }: FaceParts): Hono<FaceEnv> {
  const app = new Hono<FaceEnv>();
  prepareFace(app);
  app.use(async (context, next) => {
    // A ref moves: no cache may answer for it.
    context.env.outer.header("Cache-Control", "no-cache, max-age=0, must-revalidate");
    return await next();
  });
  app.get(`${REPOSITORY_PATH}/info/refs`, async (context) => {
    const service = context.req.query("service");
    if (service !== "git-upload-pack" && service !== "git-receive-pack") return answerText(context, notSmart);
    const caller = await admit(core, context, service);
    if (!caller.ok) return answerRefused(context, caller.refusal);
    return service === "git-upload-pack"
      ? await advertiseFetch(core, context, caller.value)
      : await advertisePush(core, context, caller.value);
  });
  app.post(`${REPOSITORY_PATH}/git-upload-pack`, async (context) => {
    const caller = await admit(core, context, "git-upload-pack");
    return caller.ok ? await serveFetch(core, context, caller.value) : answerRefused(context, caller.refusal);
  });
  app.post(`${REPOSITORY_PATH}/git-receive-pack`, async (context) => {
    const caller = await admit(core, context, "git-receive-pack");
    return caller.ok ? await servePush(core, context, caller.value) : answerRefused(context, caller.refusal);
  });
  app.all("*", (context) => answerText(context, notSmart));
  return app;
}

const notSmart: PublicProblem = {
  status: 404,
  code: "not_found",
  message: "A workspace is served by git's smart protocol alone: git clone <this address, up to .git>.",
};

/** The account's caller, when they may. */
async function admit(
  core: Core,
  context: FaceContext,
  service: Service,
): Promise<Result<AccountCaller, Refusal>> {
  const bearer = credentialOf(context.req.header("authorization"));
  const caller = await admitCaller(core, { bearer, address: context.get("address") });
  if (!caller.ok) return caller;
  if (caller.value.kind !== "account") return refused({ reason: "account_needed" });
  const { scope, role } = services[service];
  const granted = needScopes(caller.value, [scope]);
  if (!granted.ok) return granted;
  const held = needRole(caller.value, role);
  return held.ok ? ok(caller.value) : held;
}

function requestOf(context: FaceContext, caller: AccountCaller) {
  const workspaceId = (context.req.param("repository") ?? "").replace(/\.git$/, "");
  return { caller, workspaceId };
}

/** Git prints a text behind "remote:". */
function answerRefused(context: FaceContext, refusal: Refusal): Response {
  context.set("problem", refusal.reason);
  return answerText(context, toProblem(refusal));
}

function answerText(context: FaceContext, problem: PublicProblem): Response {
  if (context.get("problem") === undefined) context.set("problem", problem.code);
  const { outer } = context.env;
  if (problem.status === 401)
    outer.header("WWW-Authenticate", 'Basic realm="agent-service", charset="UTF-8"');
  if (problem.retryAfterSeconds !== undefined) outer.header("Retry-After", String(problem.retryAfterSeconds));
  const text =
    problem.status === 401
      ? `${problem.message} As git's password, whatever the name: a key of the account, or an access token.`
      : problem.message;
  return context.text(`${text}\n`, problem.status);
}

async function advertiseFetch(core: Core, context: FaceContext, caller: AccountCaller): Promise<Response> {
  const protocol = protocolOf(context);
  const hangUp = hangUpOf(context.env.outer);
  const fetched = await fetchByGit(core, {
    ...requestOf(context, caller),
    protocol,
    input: null,
    asksForRefs: true,
    signal: hangUp.signal,
  });
  if (!fetched.ok) {
    hangUp.stop();
    return answerRefused(context, fetched.refusal);
  }
  const head = isOfTwo(protocol) ? [] : [packetLine("# service=git-upload-pack\n"), FLUSH];
  return await stream(context, hangUp, {
    contentType: "application/x-git-upload-pack-advertisement",
    bytes: joined(head, fetched.value),
  });
}

async function advertisePush(core: Core, context: FaceContext, caller: AccountCaller): Promise<Response> {
  const refs = await openPush(core, requestOf(context, caller));
  if (!refs.ok) return answerRefused(context, refs.refusal);
  return context.body(new Uint8Array(pushAdvertisement(refs.value)), 200, {
    "Content-Type": "application/x-git-receive-pack-advertisement",
  });
}

/** A refusal that comes this late is a line of the protocol: git prints no body of an answer to POST. */
async function serveFetch(core: Core, context: FaceContext, caller: AccountCaller): Promise<Response> {
  const body = bodyOf(context, { service: "git-upload-pack", maxBytes: MAX_FETCH_BYTES });
  if (!body.ok) return answerText(context, body.refusal);
  const protocol = protocolOf(context);
  const opened = await openBody(new PacketReader(body.value));
  if (!opened.ok) return answerText(context, opened.refusal);
  const { first, rest } = opened.value;
  const hangUp = hangUpOf(context.env.outer);
  const fetched = await fetchByGit(core, {
    ...requestOf(context, caller),
    protocol,
    input: rest,
    asksForRefs: isOfTwo(protocol) && first === "command=ls-refs",
    signal: hangUp.signal,
  });
  if (!fetched.ok) context.set("problem", fetched.refusal.reason);
  return await stream(context, hangUp, {
    contentType: "application/x-git-upload-pack-result",
    bytes: fetched.ok
      ? fetched.value
      : joined([packetLine(`ERR ${toProblem(fetched.refusal).message}`)], none()),
  });
}

/** The first line of the body, without its end, and all of it. */
async function openBody(
  reader: PacketReader,
): Promise<Result<{ readonly first: string; readonly rest: AsyncIterable<Uint8Array> }, PublicProblem>> {
  return await readingBody(async () => {
    const packet = await reader.next();
    if (packet === null) return { first: "", rest: none() };
    if (packet.kind !== "line")
      return { first: "", rest: joined([packet.kind === "flush" ? FLUSH : DELIMITER], reader.rest()) };
    const first = packet.data.toString("latin1").replace(/\n$/, "");
    return { first, rest: joined([packetLine(packet.data)], reader.rest()) };
  });
}

const DELIMITER = Buffer.from("0001");

async function readingBody<Value>(read: () => Promise<Value>): Promise<Result<Value, PublicProblem>> {
  try {
    return ok(await read());
  } catch (cause) {
    if (cause instanceof RequestBodyError) return refused(cause.problem);
    if (cause instanceof PacketError)
      return refused(invalidRequest(`The body is none of git's: ${cause.message}`));
    throw cause;
  }
}

async function servePush(core: Core, context: FaceContext, caller: AccountCaller): Promise<Response> {
  const body = bodyOf(context, { service: "git-receive-pack", maxBytes: MAX_PUSH_BYTES });
  if (!body.ok) return answerText(context, body.refusal);
  const reader = new PacketReader(body.value);
  const read = await readingBody(() => readCommands(reader));
  if (!read.ok) return answerText(context, read.refusal);
  const contentType = "application/x-git-receive-pack-result";
  const commands = read.value;
  if (commands === null) return context.body(null, 200, { "Content-Type": contentType });
  const hangUp = hangUpOf(context.env.outer);
  const sent = Promise.withResolvers<null>();
  const hasPack = commands.commands.some(({ to }) => to !== null);
  const pack = hasPack ? notingEnd(reader.rest(), () => sent.resolve(null)) : null;
  const answered = answerPush(core, context, { caller, commands, pack, signal: hangUp.signal });
  // It is awaited below, on every way out.
  answered.catch(() => {});
  try {
    // The answer begins once git has sent everything, or once it is known.
    await Promise.race([answered, sent.promise]);
    const bytes = withKeepAlive(core, answered, commands.hasBands);
    return await stream(context, hangUp, { contentType, bytes });
  } catch (cause) {
    hangUp.stop();
    if (cause instanceof RequestBodyError) return answerText(context, cause.problem);
    throw cause;
  }
}

async function answerPush(
  core: Core,
  context: FaceContext,
  push: {
    caller: AccountCaller;
    commands: PushCommands;
    pack: AsyncIterable<Uint8Array> | null;
    signal: AbortSignal;
  },
): Promise<Buffer> {
  const { commands, pack, signal } = push;
  const request = requestOf(context, push.caller);
  const taken = await takePush(core, { ...request, ...commands, pack, signal });
  const refs = taken.ok
    ? taken.value
    : commands.commands.map(({ ref }) => ({ ref, ok: false, refusal: taken.refusal }) as const);
  const fault = refs.find((one) => !one.ok);
  if (fault?.ok === false) {
    const { reason } = fault.refusal;
    context.get("log")().info({ reason, workspace_id: request.workspaceId }, "a push was refused");
  }
  const { workspaceId } = request;
  const hints = hintsOf(refs, { workspaceId, page: workspaceUrl(core.policy, workspaceId) });
  return pushAnswer(commands, { refs, hints });
}

async function* withKeepAlive(
  { clock }: Core,
  answered: Promise<Buffer>,
  hasBands: boolean,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const over = new AbortController();
    const pause = clock.sleep(KEEP_ALIVE_MS, over.signal).then(
      () => null,
      () => null,
    );
    const answer = await Promise.race([answered, pause]).finally(() => over.abort());
    if (answer !== null) return yield answer;
    if (hasBands) yield KEEP_ALIVE;
  }
}

async function* notingEnd(bytes: AsyncIterable<Uint8Array>, atEnd: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } finally {
    atEnd();
  }
}

/** Of the service's type alone: no form of a page can send it. */
function bodyOf(
  context: FaceContext,
  { service, maxBytes }: { service: Service; maxBytes: number },
): Result<AsyncIterable<Uint8Array>, PublicProblem> {
  const types = [`application/x-${service}-request`];
  const bytes = requestBytes(context.env.outer, { kind: "bytes", maxBytes, types });
  if (!bytes.ok) return bytes;
  const encoding = context.req.header("content-encoding")?.toLowerCase() ?? "identity";
  if (encoding === "identity") return bytes;
  if (encoding === "gzip" || encoding === "x-gzip") return ok(unzipped(bytes.value, maxBytes));
  const message = `Content-Encoding must be gzip or identity, got "${encoding.slice(0, 100)}".`;
  return refused({ status: 415, code: "unsupported_media_type", message });
}

async function* unzipped(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes, { objectMode: false });
  const stream = createGunzip();
  // A failure of either is thrown where the stream is read.
  pipeline(source, stream, () => {});
  let unzippedBytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      unzippedBytes += chunk.length;
      if (unzippedBytes > maxBytes)
        throw new RequestBodyError(invalidRequest(`The body unfolds to more than ${maxBytes} bytes.`));
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof RequestBodyError) throw cause;
    throw new RequestBodyError(invalidRequest("The body is no gzip, or was cut off."), { cause });
  } finally {
    stream.destroy();
  }
}

/** Null for the oldest, and for what no git says. */
function protocolOf(context: FaceContext): string | null {
  const header = context.req.header("git-protocol");
  return header !== undefined && PROTOCOL.test(header) ? header : null;
}

function isOfTwo(protocol: string | null): boolean {
  return protocol?.startsWith("version=2") === true;
}

async function stream(
  context: FaceContext,
  hangUp: HangUp,
  { contentType, bytes }: { contentType: string; bytes: AsyncIterable<Uint8Array> },
): Promise<Response> {
  const content = { contentType, size: null, etag: null, open: () => bytes };
  const headers = { "X-Accel-Buffering": "no" };
  return await answerBytes(context.env.outer, content, { hangUp, headers });
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}

async function* none(): AsyncGenerator<Uint8Array> {}
