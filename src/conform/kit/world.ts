// The world of statements: the callers, and things that are made once, when the first statement needs them.

import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/ids.ts";
import { type Ask, type DeploymentConnection, NoAnswerError } from "./connection.ts";
import { type Answer, member } from "./exchange.ts";
import { Difference, expectStatus, textOf } from "./expect.ts";
import type { Issuer } from "./issuer.ts";

/** Whose credential a request has. */
export type WorldCaller = "owner" | "other" | "ai" | "empty" | "capped" | "nobody";

export type Credentials = {
  readonly owner: string;
  readonly other: string | null;
  readonly ai: string | null;
  /** Of an account without credits. */
  readonly empty: string | null;
  /** Of an account whose plan has a small cap of agents. */
  readonly capped: string | null;
};

type WorldParts = {
  readonly connection: DeploymentConnection;
  readonly credentials: Credentials;
  readonly issuer: Issuer | null;
  readonly clock: Clock;
  readonly random: Random;
};

/** A thing that a deployment has no more once everything is over. */
type Cleanup = { readonly what: string; readonly undo: () => Promise<Answer> };
/** What could not be undone. Status 0: no answer. */
type Refused = { readonly cleanup: Cleanup; readonly status: number };

/** For so long is a thing tried to be taken away that is at work. */
const AT_WORK_SECONDS = 10;

export class World {
  readonly connection: DeploymentConnection;
  readonly clock: Clock;
  readonly issuer: Issuer | null;
  /** In the name of everything that is made. */
  readonly label: string;
  readonly #credentials: Credentials;
  readonly #random: Random;
  readonly #made = new Map<string, Promise<unknown>>();
  readonly #cleanups: Cleanup[] = [];

  constructor({ connection, credentials, issuer, clock, random }: WorldParts) {
    this.connection = connection;
    this.clock = clock;
    this.issuer = issuer;
    this.#credentials = credentials;
    this.#random = random;
    this.label = `conform-${this.uuid().slice(-8)}`;
  }

  /** An id that nothing has. */
  uuid(): string {
    return this.#random.uuid(this.clock.now());
  }

  /** A name that nothing has, by which a person recognises where it comes from. */
  name(word: string): string {
    return `${this.label}-${word}-${this.uuid().slice(-8)}`;
  }

  credential(caller: WorldCaller): string | undefined {
    return caller === "nobody" ? undefined : (this.#credentials[caller] ?? undefined);
  }

  /** Asks as the owner, unless told. */
  async ask(ask: Ask & { readonly as?: WorldCaller }): Promise<Answer> {
    const { as = "owner", ...rest } = ask;
    return await this.connection.ask({ bearer: this.credential(as), ...rest });
  }

  async get(path: string, as: WorldCaller = "owner"): Promise<Answer> {
    return await this.ask({ path, as });
  }

  /** A POST in JSON with an idempotency key of its own. */
  async post(path: string, json: unknown, as: WorldCaller = "owner"): Promise<Answer> {
    return await this.send("POST", path, json, as);
  }

  async send(method: string, path: string, json: unknown, as: WorldCaller = "owner"): Promise<Answer> {
    const headers = { "idempotency-key": this.uuid() };
    return await this.ask({ method, path, as, headers, ...(json === undefined ? {} : { json }) });
  }

  /** Made when it is first needed, and the same for every statement after that. */
  async once<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    try {
      return (await made) as Value;
    } catch (cause) {
      // It may be made when the deployment answers again. What differs, differs once for all.
      if (cause instanceof NoAnswerError) this.#made.delete(name);
      throw cause;
    }
  }

  /** Undone at the end, the newest first. */
  atEnd(what: string, undo: () => Promise<Answer>): void {
    this.#cleanups.push({ what, undo });
  }

  /**
   * Takes away what was made. Returns what is left, each with the answer that it got. What is refused is tried once more at the
   * end: an agent may manage a workspace that was made before it. What something is still at work in is tried for ten seconds.
   */
  async cleanUp(): Promise<readonly string[]> {
    const again = async (refused: readonly Refused[]) => await undoAll(refused.map(({ cleanup }) => cleanup));
    let left = await again(await undoAll(this.#cleanups.reverse()));
    for (let second = 0; second < AT_WORK_SECONDS && left.some(({ status }) => status === 409); second += 1) {
      await this.clock.sleep(1_000);
      left = await again(left);
    }
    return left.map(({ cleanup, status }) => `${cleanup.what} (${status})`);
  }

  /** The id of what a request has made. */
  made(answer: Answer, ...path: readonly string[]): string {
    expectStatus(answer, 200, 201, 202);
    return textOf(answer, ...(path.length === 0 ? ["id"] : path));
  }

  /**
   * Follows the operation of a 202 to its end: its last answer. Throws where it does not succeed. By the operation's id, not by
   * Location: whether that is right is a statement of its own.
   */
  async finished(accepted: Answer, as: WorldCaller = "owner"): Promise<Answer> {
    expectStatus(accepted, 202);
    const [workspaceId, id] = [textOf(accepted, "workspace_id"), textOf(accepted, "id")];
    const path = `/v1/workspaces/${workspaceId}/operations/${id}?wait=30`;
    for (let polls = 0; ; polls += 1) {
      const answer = expectStatus(await this.get(path, as), 200);
      const status = member(answer.json, "status");
      if (status === "succeeded") return answer;
      if (status === "failed" || polls === 10) throw new Difference("an operation that succeeds", answer);
    }
  }
}

/** Undoes in order. Returns what could not be undone; what is not there any more is. */
async function undoAll(cleanups: readonly Cleanup[]): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (const cleanup of cleanups) {
    const status = await cleanup.undo().then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 0 || (status >= 400 && status !== 404)) refused.push({ cleanup, status });
  }
  return refused;
}
