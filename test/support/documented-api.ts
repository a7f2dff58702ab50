// The API called by its operations' ids: every answer is one that the document declares, and is remembered.

import { documentedRoutes, expectDeclared, type SeenAnswers } from "./document-checker.ts";
import type { Answer, Call } from "./service-client.ts";

export type Asked = Omit<Call, "bearer" | "method"> & {
  /** Of the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** As it is written behind the question mark. */
  readonly query?: string;
  /** The owner's unless told; null for none. */
  readonly bearer?: string | null;
};

type Field =
  | ("id" | "run_id" | "agent_id" | "access_token" | "manager_agent_id" | "url" | "status" | "result")
  | ("trash" | "current_revision_id" | "revision_id" | "approve_url");
/** What tests use of answers: texts and, where a test says so, what they hold. */
export type Body = Readonly<Record<Field, string>>;

type Sender = { send(path: string, options?: Call): Promise<Answer> };

export class DocumentedApi {
  readonly #api: Sender;
  readonly #owner: string;
  readonly #seen: SeenAnswers;

  constructor(api: Sender, { owner, seen }: { owner: string; seen: SeenAnswers }) {
    this.#api = api;
    this.#owner = owner;
    this.#seen = seen;
  }

  /** The same API, and one memory, for another account. */
  for(owner: string): DocumentedApi {
    return new DocumentedApi(this.#api, { owner, seen: this.#seen });
  }

  /** The answer, whatever it is, as long as the document declares it. */
  async answer(operationId: string, asked: Asked = {}): Promise<Answer> {
    const route = documentedRoutes.find(({ operation }) => operation.operationId === operationId);
    if (route === undefined) throw new Error(`The document has no operation ${operationId}.`);
    const { params = {}, query, bearer = this.#owner, ...rest } = asked;
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? `no-${name}`);
    const { method } = route;
    // A key of its own: some operations take none without.
    const headers = { "idempotency-key": crypto.randomUUID(), ...rest.headers };
    const call = { ...rest, headers, method, ...(bearer === null ? {} : { bearer }) };
    const answer = await this.#api.send(query === undefined ? path : `${path}?${query}`, call);
    this.#seen.add(operationId, expectDeclared(`${method} ${path}`, route.operation, answer));
    return answer;
  }

  /** The body of an answer that is 2xx. */
  async ask(operationId: string, asked: Asked = {}): Promise<Body> {
    const { status, text, body } = await this.answer(operationId, asked);
    if (status < 200 || status > 299)
      throw new Error(`${operationId} answered ${status} ${text.slice(0, 500)}`);
    return (body ?? {}) as Body;
  }

  async list(
    operationId: string,
    params: Asked["params"] = {},
  ): Promise<{ readonly items: readonly Body[] }> {
    return (await this.ask(operationId, { params })) as unknown as { readonly items: readonly Body[] };
  }
}
