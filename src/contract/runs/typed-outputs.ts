// Typed outputs: what a job declares that a run may ask it to write after the run, and one such request. Pure.
// Why: docs/decisions/146-typed-outputs.md

import * as z from "zod/mini";
import { field, object, strictObject } from "../field.ts";
import { isWellFormed } from "../fields.ts";

const MAX_LISTED = 100;
const MAX_LABEL_CHARS = 50;
const MAX_LOGIN_CHARS = 100;
const MAX_WORKFLOW_CHARS = 100;
const MAX_CATEGORY_CHARS = 100;
const MAX_PREFIX_CHARS = 50;
const MOST_ITEMS = 10;
/** With the longest prefix 250, of GitHub's 256 and GitLab's 255. */
export const MAX_OUTPUT_TITLE_CHARS = 200;
/** GitHub's 65,536, the least of a code host, have room for more than this, once it is made inert. */
export const MAX_OUTPUT_BODY_CHARS = 30_000;

export const closeReasons = ["completed", "duplicate", "not_planned"] as const;

const oneLine = z.refine<string>((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), "must be one line");

/** Text of one line. */
function line(maxChars: number) {
  return z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(maxChars, `must have at most ${maxChars} characters`),
      oneLine,
      isWellFormed,
    );
}

function listOf<Item extends z.ZodMiniType>(item: Item) {
  return z
    .array(item, "must be a list")
    .check(
      z.minLength(1, "must not be empty"),
      z.maxLength(MAX_LISTED, `must have at most ${MAX_LISTED} entries`),
    );
}

function max(most: number) {
  const form = `must be a whole number from 1 to ${most}`;
  return field(
    z.int(form).check(z.minimum(1, form), z.maximum(most, form)),
    "How many of them a run may ask for.",
  );
}

const loginSchema = line(MAX_LOGIN_CHARS).check(z.regex(/^\w[\w.-]*$/, "must be a login, such as octocat"));
const reviewerSchema = line(MAX_LOGIN_CHARS).check(
  z.regex(/^(?:team\/)?\w[\w.-]*$/, "must be a login, or team/ and the short name of a team"),
);
const workflowSchema = line(MAX_WORKFLOW_CHARS).check(
  z.regex(/^[\w.-]+\.ya?ml$/, "must be a file of .github/workflows, such as release.yml"),
);
const reasonSchema = z.enum(closeReasons, `must be one of ${closeReasons.join(", ")}`);
const titlePrefix = field(
  z.optional(line(MAX_PREFIX_CHARS)),
  "What the title begins with, before the run's own words.",
);

/** At least one of them. A type that is not declared cannot be asked for. */
export const typedOutputsSchema = strictObject({
  labels: field(
    z.optional(
      strictObject({
        allowed: field(listOf(line(MAX_LABEL_CHARS)), "Labels to choose from."),
        max: max(MAX_LISTED),
      }),
    ),
    "Labels for the issue or pull request that the job is about.",
  ),
  assign: field(
    z.optional(
      strictObject({ allowed: field(listOf(loginSchema), "Logins to choose from."), max: max(MOST_ITEMS) }),
    ),
    "Assignees of the issue or pull request that the job is about.",
  ),
  reviewers: field(
    z.optional(
      strictObject({
        allowed: field(listOf(reviewerSchema), "Logins, and teams as `team/short-name`, to choose from."),
        max: max(MOST_ITEMS),
      }),
    ),
    "Reviewers of the pull request that the job is about.",
  ),
  close: field(
    z.optional(strictObject({ reasons: field(listOf(reasonSchema), "Reasons to choose from.") })),
    "Closes the issue that the job is about.",
  ),
  issue: field(
    z.optional(
      strictObject({
        max: max(MOST_ITEMS),
        title_prefix: titlePrefix,
        close_older: field(
          z.optional(z.boolean("must be true or false")),
          "Closes the open issues that earlier runs of the same step have filed.",
        ),
      }),
    ),
    "New issues.",
  ),
  discussion: field(
    z.optional(
      strictObject({
        category: field(line(MAX_CATEGORY_CHARS), "The category, by its name."),
        max: max(MOST_ITEMS),
        title_prefix: titlePrefix,
      }),
    ),
    "New discussions.",
  ),
  dispatch: field(
    z.optional(
      strictObject({
        workflows: field(listOf(workflowSchema), "Files of `.github/workflows` to choose from."),
        max: max(MOST_ITEMS),
      }),
    ),
    "Starts workflows of the same repository, on the job's branch or tag.",
  ),
}).check(z.refine((declared) => Object.keys(declared).length > 0, "must name at least one output"));

export type TypedOutputs = z.infer<typeof typedOutputsSchema>;
export type OutputType = keyof TypedOutputs;

const kind = <Type extends OutputType>(type: Type) => field(z.literal(type), "Which output it is.");
/** Wider than what is allowed: the job says why it refuses one. */
const MAX_SENT_CHARS = 2 * MAX_OUTPUT_BODY_CHARS;
const sentText = z.string().check(z.maxLength(MAX_SENT_CHARS));
const sentList = z.array(z.string().check(z.maxLength(1_000))).check(z.maxLength(MAX_LISTED));
const title = field(sentText, "The title, without the prefix.");
const body = field(sentText, "The text, in Markdown.");

/** What a run asks its job to write. A reader checks it against the declaration. */
const typedOutputSchema = z.discriminatedUnion("type", [
  object({ type: kind("labels"), labels: field(sentList, "Labels to add.") }),
  object({ type: kind("assign"), logins: field(sentList, "Logins to assign.") }),
  object({ type: kind("reviewers"), reviewers: field(sentList, "Whose review to request.") }),
  object({ type: kind("close"), reason: field(z.string().check(z.maxLength(1_000)), "Why it is closed.") }),
  object({ type: kind("issue"), title, body }),
  object({ type: kind("discussion"), title, body }),
  object({ type: kind("dispatch"), workflow: field(z.string().check(z.maxLength(1_000)), "Its file.") }),
]);

export type TypedOutput = z.infer<typeof typedOutputSchema>;
export type OutputOf<Type extends OutputType> = Extract<TypedOutput, { type: Type }>;

export const TYPED_OUTPUT_EVENT = "typed_output";

/** What the run asks its job to write after it. The job checks it against what it has declared. */
export const typedOutputEventSchema = object({
  type: field(z.literal("CUSTOM"), "What happened."),
  name: field(z.literal(TYPED_OUTPUT_EVENT), "Which event of this service's own it is."),
  value: field(typedOutputSchema, "What the event says; for `output` the reply as data."),
});
