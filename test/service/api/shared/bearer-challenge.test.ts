import { describe, expect, it } from "vitest";
import { challengeOf } from "../../../../src/service/api/shared/bearer-challenge.ts";

const asked = { baseUrl: "https://agents.example.com", host: "localhost:8080" };

describe("challengeOf", () => {
  it("says where the metadata is, and what most clients need", () => {
    expect(challengeOf(asked)).toBe(
      'Bearer resource_metadata="https://agents.example.com/.well-known/oauth-protected-resource/mcp", scope="agents:read runs:read runs:write schedules:write"',
    );
  });

  it("names every scope that is needed, and the error", () => {
    expect(challengeOf({ ...asked, scope: ["runs:read", "runs:write"], error: "insufficient_scope" })).toBe(
      'Bearer error="insufficient_scope", resource_metadata="https://agents.example.com/.well-known/oauth-protected-resource/mcp", scope="runs:read runs:write"',
    );
  });
});
