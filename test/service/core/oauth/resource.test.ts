import { describe, expect, it } from "vitest";
import { baseAskedBy, isOwnResource } from "../../../../src/service/core/oauth/resource.ts";

const PUBLIC = "https://agents.example.com";
const LOCAL = "http://127.0.0.1:8080";

describe("baseAskedBy", () => {
  it.each([
    [LOCAL, "localhost:8080", "http://localhost:8080"],
    [LOCAL, "LocalHost:8080", "http://localhost:8080"],
    [LOCAL, "[::1]:8080", "http://[::1]:8080"],
    ["http://localhost:8080/agents", "127.0.0.1:8080", "http://127.0.0.1:8080/agents"],
    ["http://localhost", "127.0.0.1", "http://127.0.0.1"],
    [LOCAL, "localhost:9090", LOCAL],
    [LOCAL, "localhost", LOCAL],
    [LOCAL, "evil.example:8080", LOCAL],
    [LOCAL, "localhost:8080@evil.example", LOCAL],
    [LOCAL, undefined, LOCAL],
    [PUBLIC, "localhost", PUBLIC],
    [PUBLIC, "evil.example", PUBLIC],
    ["http://localhost.example:8080", "localhost:8080", "http://localhost.example:8080"],
  ])("of %s asked as %s is %s", (baseUrl, host, base) => {
    expect(baseAskedBy(baseUrl, host)).toBe(base);
  });
});

describe("isOwnResource", () => {
  it.each([
    [LOCAL, "http://localhost:8080/mcp", true],
    [LOCAL, "http://[::1]:8080", true],
    [LOCAL, "http://localhost:8081/mcp", false],
    [LOCAL, "https://localhost:8080/mcp", false],
    [LOCAL, "http://localhost.example:8080/mcp", false],
    [PUBLIC, "https://localhost/mcp", false],
    [PUBLIC, "https://agents.example.com/mcp/", true],
  ])("of %s takes %s: %s", (baseUrl, resource, isOwn) => {
    expect(isOwnResource(baseUrl, resource)).toBe(isOwn);
  });
});
