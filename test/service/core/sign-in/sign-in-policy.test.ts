// Who may open an account by the domain of an address.

import { describe, expect, it } from "vitest";
import { maySignUp } from "../../../../src/service/core/sign-in/sign-in-policy.ts";

const domains = { kind: "domains", domains: ["example.com"] } as const;

describe("an address at a domain that opens accounts", () => {
  it.each(["ada@example.com", "Ada.Lovelace+agent@EXAMPLE.com", "o'hara_1@example.com"])("is %s", (email) =>
    expect(maySignUp(domains, email)).toBe(true),
  );

  it.each([
    null,
    "",
    "example.com",
    "@example.com",
    "ada@evil.example",
    "ada@sub.example.com",
    "ada@example.com.evil.example",
    "ada@evil.example@example.com",
    '"ada@evil.example"@example.com',
    '"ada"@example.com',
    "<ada@evil.example>@example.com",
    "ada@evil.example,b@example.com",
    "ada@evil.example b@example.com",
    "ada@evil.example\n@example.com",
    "ada\u0000@example.com",
    "ada@example.com\n",
    "ada@\u0435xample.com",
    "ädä@example.com",
    "ada@example\uff0ecom",
    "ada@example.com.",
    "ada@[127.0.0.1]",
    ".ada@example.com",
    "ada.@example.com",
    "a..b@example.com",
    "(comment)ada@example.com",
    `${"a".repeat(250)}@example.com`,
  ])("is not %j", (email) => expect(maySignUp(domains, email)).toBe(false));
});
