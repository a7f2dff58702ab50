// Checks of an answer. Each check throws a Difference, which has the exchange.

import { type Answer, member } from "./exchange.ts";

/** The deployment answers otherwise than the specification says. */
export class Difference extends Error {
  readonly code = "difference";
  readonly answer: Answer;

  constructor(expected: string, answer: Answer) {
    super(expected);
    this.answer = answer;
  }
}

/** Throws unless it holds. `expected` is what the specification says. */
export function expectThat(holds: boolean, expected: string, answer: Answer): void {
  if (!holds) throw new Difference(expected, answer);
}

export function expectStatus(answer: Answer, ...statuses: readonly number[]): Answer {
  expectThat(statuses.includes(answer.status), `status ${statuses.join(" or ")}`, answer);
  return answer;
}

/** A refusal: its status, its code where one is named, and the one shape of every error. */
export function expectRefused(
  answer: Answer,
  status: number | readonly number[],
  ...codes: readonly string[]
): Answer {
  expectStatus(answer, ...(typeof status === "number" ? [status] : status));
  const error = member(answer.json, "error");
  expectThat(typeof error === "string" && error !== "", 'a JSON body with "error", a text', answer);
  if (codes.length > 0) {
    expectThat(codes.includes(String(member(answer.json, "code"))), `code ${codes.join(" or ")}`, answer);
  }
  return answer;
}

export function expectHeader(answer: Answer, name: string, value: string | RegExp | null): void {
  const got = answer.headers[name];
  if (value === null) {
    expectThat(got === undefined, `no header ${name}`, answer);
    return;
  }
  const holds = typeof value === "string" ? got === value : got !== undefined && value.test(got);
  expectThat(holds, `header ${name}: ${value}`, answer);
}

export function expectMember(answer: Answer, path: string, value: unknown): void {
  const got = member(answer.json, ...path.split("."));
  expectThat(JSON.stringify(got) === JSON.stringify(value), `${path} is ${JSON.stringify(value)}`, answer);
}

/** A text of the answer, such as an id. */
export function textOf(answer: Answer, ...path: readonly (string | number)[]): string {
  const value = member(answer.json, ...path);
  if (typeof value !== "string") throw new Difference(`${path.join(".")} is a text`, answer);
  return value;
}

/** A list of the answer: the body itself, or what is under the path. */
export function listOf(answer: Answer, ...path: readonly string[]): readonly unknown[] {
  const value = member(answer.json, ...path);
  if (!Array.isArray(value)) throw new Difference(`${path.join(".") || "the body"} is an array`, answer);
  return value;
}
