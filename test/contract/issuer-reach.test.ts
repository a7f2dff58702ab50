import { expect, it } from "vitest";
import { issuerFault, issuerFaultText } from "../../src/contract/issuer-reach.ts";

const NOT_PUBLIC = "it is not on the public internet";

it.each([
  ["https://agents.example.com", null],
  ["https://agents.example.com/below", null],
  ["https://93.184.215.14", null],
  ["http://agents.example.com", "it is not https"],
  ["https://agents.example.com:8443", "it has a port, which AWS refuses"],
  ["https://localhost", NOT_PUBLIC],
  ["https://agents", NOT_PUBLIC],
  ["https://agents.corp.internal", NOT_PUBLIC],
  ["https://AGENTS.LOCAL", NOT_PUBLIC],
  ["https://10.1.2.3", NOT_PUBLIC],
  ["https://0x7f.1", NOT_PUBLIC],
  ["https://[::1]", NOT_PUBLIC],
  ["https://[fd00::1]", NOT_PUBLIC],
])("knows of %s: %s", (url, fault) => {
  expect(issuerFault(url)).toBe(fault);
  expect(issuerFaultText(url)).toEqual(
    fault === null ? null : expect.stringContaining(`at ${url}/id/jwks: ${fault}.`),
  );
});
