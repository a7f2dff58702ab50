// The account itself: its id, and the name that its people know it by. Pure.

import * as z from "zod/mini";
import { visibleText } from "../base/untrusted-text.ts";
import { type Components, component } from "./component.ts";
import type { ExamplesOf } from "./examples.ts";
import { field, object, strictObject } from "./field.ts";
import { accounts, defineRoute, jsonBody, nounRoutes, owners } from "./route.ts";
import { ACCOUNT_ID } from "./story.ts";

export const MAX_ACCOUNT_NAME_CHARS = 60;

/** White space at both ends is taken away. What a screen does not show, or shows in another order, would make one name look like another. */
export const accountNameSchema = z.string().check(
  z.trim(),
  z.minLength(1, "must not be empty"),
  z.maxLength(MAX_ACCOUNT_NAME_CHARS, `must have at most ${MAX_ACCOUNT_NAME_CHARS} characters`),
  z.refine<string>(
    (name) => !/[\t\n]/.test(name) && visibleText(name) === name,
    "must be one line without control characters and hidden characters",
  ),
);

export const accountSchema = object({
  id: field(z.uuid(), "Its id."),
  name: field(
    z.nullable(z.string()),
    "What its people call it. Null: it has no name, and pages show its id.",
  ),
  created_at: field(z.iso.datetime(), "When it was opened."),
});
/** The account of the credential. */
export type AccountView = z.infer<typeof accountSchema>;

export const updateAccountRequestSchema = strictObject({
  name: field(
    z.optional(z.nullable(accountNameSchema)),
    "What its people call it: one line, without white space at its ends. Null: nothing, pages show its id. Left out: as it is.",
  ),
});

export const accountComponents: Components = {
  Account: component(accountSchema, "An account."),
  UpdateAccountRequest: component(updateAccountRequestSchema, "A change of the account's name."),
};

const MAX_BODY_BYTES = 4 * 1024;

export const accountRoutes = nounRoutes("account", "People", {
  get: defineRoute("GET /v1/account", {
    callers: accounts,
    role: "viewer",
    repeat: "safe",
    answer: accountSchema,
    scopes: ["agents:read"],
    summary: "Read the account of the credential",
    description: "Which account a key or an application acts in, and what its people call it.",
    cacheControl: "private, no-store",
    answers: { 200: "The account." },
  }),
  update: defineRoute("PATCH /v1/account", {
    callers: owners,
    role: "admin",
    repeat: "safe",
    answer: accountSchema,
    summary: "Name the account, or take its name away",
    description:
      "Its people, whoever is invited and whoever allows an application see the name, beside the id; so does the operator of the service. It grants nothing, and two accounts may have the same.",
    body: jsonBody(updateAccountRequestSchema, MAX_BODY_BYTES),
    answers: { 200: "The account as it is now." },
  }),
});

const account = { id: ACCOUNT_ID, name: "Platform team", created_at: "2026-03-09T10:06:30.000Z" };

export const accountExamples: ExamplesOf<typeof accountRoutes> = {
  get: { answers: { 200: { theAccount: { summary: "The account", value: account } } } },
  update: {
    body: {
      nameAccount: { summary: "A name", value: { name: "Platform team" } },
      unnameAccount: { summary: "No name any more", value: { name: null } },
    },
    answers: { 200: { namedAccount: { summary: "Named", value: account } } },
  },
};
