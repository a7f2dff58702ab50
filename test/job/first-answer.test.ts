import { describe, expect, it } from "vitest";
import { connectionFailed, type Transport, type TransportRequest } from "../../src/client/transport.ts";
import { untilFirstAnswer } from "../../src/job/first-answer.ts";

const request: TransportRequest = {
  method: "GET",
  url: "https://agents.example.com/v1",
  headers: {},
  timeoutMs: 1_000,
  maxBodyBytes: 1_000,
};

const failure = (code: string, hostname = "agents.example.com") =>
  connectionFailed(
    request,
    new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code, hostname }) }),
  );

/** Answers where there is nothing left to fail with. */
function transportOf(...failures: (Error | null)[]): Transport {
  return async () => {
    const next = failures.shift() ?? null;
    if (next !== null) throw next;
    return { status: 502, headers: () => undefined, body: "" };
  };
}

describe("a host that DNS does not know", () => {
  it("is a wrong base-url before the first answer", async () => {
    const send = untilFirstAnswer(transportOf(failure("ENOTFOUND")));
    await expect(send(request)).rejects.toMatchObject({ code: "host_not_found", isStepError: true });
  });

  it("is a fault that may pass after any answer", async () => {
    const send = untilFirstAnswer(transportOf(null, failure("ENOTFOUND")));
    expect((await send(request)).status).toBe(502);
    await expect(send(request)).rejects.toMatchObject({ code: "connection_failed" });
  });

  it.each([
    ["a resolver that does not answer", failure("EAI_AGAIN")],
    ["an unknown proxy", failure("ENOTFOUND", "proxy.example.com")],
    ["a refused connection", failure("ECONNREFUSED")],
  ])("is not %s", async (_name, cause) => {
    await expect(untilFirstAnswer(transportOf(cause))(request)).rejects.toBe(cause);
  });
});
