// Handlers of routes: functions whose request and answer have the types of the route's entry in the table.

import type * as z from "zod/mini";
import { ok, type Result } from "../../../base/result.ts";
import type { Unkeyed } from "../../../contract/fields.ts";
import type { DocumentHeader } from "../../../contract/headers.ts";
import type {
  ByteBody,
  JsonBody,
  NounRoutes,
  ParameterName,
  Query,
  Route,
  RouteTable,
} from "../../../contract/route.ts";
import type { AccountCaller, Caller, CiJobCaller } from "../../core/accounts/caller.ts";
import type { OnceResult } from "../../core/idempotency/once-result.ts";
import type { PublicProblem } from "../../core/ports/problem.ts";
import type { Refusal } from "../shared/problems/to-problem.ts";
import type { ByteContent } from "./bytes/answer-bytes.ts";
import type { IfMatch } from "./bytes/preconditions.ts";

/** The callers that the table lets through. Whether an account's caller is its owner, the use case asks itself. */
type CallerOf<One extends Route> = [One["callers"][number]] extends [never]
  ? null
  : "job" extends One["callers"][number]
    ? [One["callers"][number]] extends ["job"]
      ? CiJobCaller
      : Caller
    : AccountCaller;

type BodyOf<One extends Route> = One extends { readonly body: JsonBody<infer Schema> }
  ? Unkeyed<z.output<Schema>>
  : One extends { readonly body: ByteBody }
    ? AsyncIterable<Uint8Array>
    : null;

export type RouteRequest<One extends Route> = {
  readonly caller: CallerOf<One>;
  readonly params: { readonly [Name in ParameterName<One["path"]>]: string };
  readonly query: One extends { readonly query: Query<infer Schema> } ? z.output<Schema> : null;
  readonly body: BodyOf<One>;
  /** The header Idempotency-Key, or else the body's key. Null without one, and where the route takes none. */
  readonly idempotencyKey: string | null;
  readonly requestId: string;
  /** The header Content-Type, whole. "" without one. */
  readonly contentType: string;
  /** The header Content-Length. Null without one. */
  readonly contentLength: number | null;
  /** The header If-Match. Null without one. */
  readonly ifMatch: IfMatch;
  /** The header Last-Event-ID. Null without one. */
  readonly lastEventId: string | null;
  /** Whoever the credential stands for by now, for what takes long. Null: it is no longer good. */
  readonly callerNow: () => Promise<CallerOf<One> | null>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
};

/** JSON that is written already, and is sent as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type AnswerBody<One extends Route> = One["answer"] extends z.ZodMiniType
  ? z.input<One["answer"]> | JsonText
  : One["answer"] extends "bytes"
    ? ByteContent
    : null;

type IsUnion<Whole, Part = Whole> = Part extends unknown ? ([Whole] extends [Part] ? false : true) : never;

/** `status` is needed where the route has several; else it is the table's. Where a route takes a key, each answer says `isReplay`. */
type RouteAnswer<One extends Route> = AnyAnswer & {
  readonly body: AnswerBody<One>;
} & (One["repeat"] extends "keyed" ? { readonly isReplay: boolean } : object) &
  (true extends IsUnion<keyof One["answers"]> ? { readonly status: keyof One["answers"] } : object);

/** An answer of whichever route. */
export type AnyAnswer = {
  readonly body: unknown;
  readonly status?: PropertyKey;
  readonly headers?: { readonly [Name in DocumentHeader]?: string };
  /** Whether an earlier request with the same key did it. */
  readonly isReplay?: boolean;
};

type Handler<One extends Route> = (
  request: RouteRequest<One>,
) => Promise<Result<RouteAnswer<One>, Refusal | PublicProblem>>;

/** One handler for each route of a noun: one too few or too many does not compile. */
export type NounHandlers<Routes extends NounRoutes> = {
  readonly [Name in keyof Routes]: Handler<Routes[Name]>;
};
export type Handlers<Table extends RouteTable> = {
  readonly [Noun in keyof Table]: NounHandlers<Table[Noun]>;
};

/** A use case's value as the contract shows it; its refusal as it is. */
export function shown<Value, Refused, View>(
  result: Result<Value, Refused>,
  view: (value: Value) => View,
): Result<{ readonly body: View }, Refused> {
  return result.ok ? ok({ body: view(result.value) }) : result;
}

/** The same of a use case that a key makes one. */
export function shownOnce<Value, Refused, View>(
  result: OnceResult<Value, Refused>,
  view: (value: Value) => View,
): Result<{ readonly body: View; readonly isReplay: boolean }, Refused> {
  return result.ok ? ok({ body: view(result.value), isReplay: result.isReplay }) : result;
}
