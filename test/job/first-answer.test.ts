import { describe, expect, it } from "vitest";
import { connectionFailed, type Transport, type TransportRequest } from "../../src/client/transport.ts";
import { untilFirstAnswer } from "../../src/job/first-answer.ts";
import { actionWords } from "../../src/job/job-words.ts";

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
    const send = untilFirstAnswer(transportOf(failure("ENOTFOUND")), actionWords);
    await expect(send(request)).rejects.toMatchObject({ code: "host_not_found", isStepError: true });
  });

  it("is a fault that may pass after any answer", async () => {
    const send = untilFirstAnswer(transportOf(null, failure("ENOTFOUND")), actionWords);
    expect((await send(request)).status).toBe(502);
    await expect(send(request)).rejects.toMatchObject({ code: "connection_failed" });
  });

  it.each([
    ["a resolver that does not answer", failure("EAI_AGAIN")],
    ["an unknown proxy", failure("ENOTFOUND", "proxy.example.com")],
    ["a refused connection", failure("ECONNREFUSED")],
    ["a connection that breaks", failure("ECONNRESET")],
  ])("is not %s", async (_name, cause) => {
    await expect(untilFirstAnswer(transportOf(cause), actionWords)(request)).rejects.toBe(cause);
  });
});

describe("an address that leads nowhere", () => {
  it.each([
    [
      "ECONNREFUSED",
      /^Nothing takes connections at https:\/\/agents\.example\.com \(ECONNREFUSED\)\. .* "base-url"/,
    ],
    [
      "EHOSTUNREACH",
      /\(EHOSTUNREACH\)\. Correct the address of the service in "base-url", or start the service\.$/,
    ],
    ["EAI_AGAIN", /^No DNS server answers for "agents\.example\.com" \(EAI_AGAIN\)\. .* "base-url"/],
  ])("is final after a few attempts without any answer: %s", async (code, message) => {
    const send = untilFirstAnswer(
      transportOf(...Array.from({ length: 5 }, () => failure(code))),
      actionWords,
    );
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await expect(send(request)).rejects.toMatchObject({ code: "connection_failed" });
    }
    await expect(send(request)).rejects.toMatchObject({
      code: "service_unavailable",
      isStepError: true,
      message: expect.stringMatching(message),
    });
  });

  it("is a service that is being restarted, after any answer", async () => {
    const failures = Array.from({ length: 6 }, () => failure("ECONNREFUSED"));
    const send = untilFirstAnswer(transportOf(null, ...failures), actionWords);
    expect((await send(request)).status).toBe(502);
    for (const _ of failures)
      await expect(send(request)).rejects.toMatchObject({ code: "connection_failed" });
  });
});
