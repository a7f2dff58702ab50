// Decisions about changesets: accepted and resolved, with evidence and the current revision (4.6 rules 5 and 8).

import { NO_ID } from "../kit/beginnings.ts";
import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { dateTime, exactly, object, text, uuid } from "../kit/field-kinds.ts";
import { expectFields } from "../kit/fields.ts";
import { put, read } from "../kit/filled.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { checkpoint, currentRevision, filesOf, makeCopy } from "../kit/things.ts";
import type { World } from "../kit/world.ts";
import { accept, conflict, decisions, EVIDENCE, needs, proposal, resolve, undecided } from "./proposals.ts";

/** Values that are no evidence. */
const noEvidence: Readonly<Record<string, unknown>> = {
  "left out": undefined,
  "an empty text": "",
  "a text of spaces": "  ",
  "an empty list": [],
  null: null,
  "an item without text": [{ kind: "tests", text: "" }],
  "an item without a kind": [{ text: "All pass." }],
  "a number": 1,
};

export const changesetDecisions: readonly Statement[] = [
  ...statementsOf("4.6 rule 5", { prefix: "accept", needs }, [
    [
      "accepted",
      "An acceptance is 200 with the changeset, its evidence and its accepted revision.",
      async (world) => {
        const answer = expectStatus(await accept(world, await proposal(world)), 200);
        expectFields(answer, {
          status: exactly("accepted"),
          validation_evidence: exactly(EVIDENCE),
          accepted_revision_id: uuid,
          decided_at: dateTime,
          decided_by: object,
        });
      },
    ],
    [
      "evidence-list",
      "An acceptance takes a list of evidence.",
      async (world) => {
        const evidence = [{ kind: "tests", text: "All pass." }];
        const answer = await accept(world, await proposal(world), { validation_evidence: evidence });
        expectMember(expectStatus(answer, 200), "validation_evidence", evidence);
      },
    ],
    ...(["reject", "accept", "resolve"] as const).map(
      (then) =>
        [
          `then-${then}`,
          `An accepted changeset is decided: ${then} is 409.`,
          async (world: World) => {
            const made = await proposal(world);
            expectStatus(await accept(world, made), 200);
            const answer =
              then === "reject"
                ? await world.post(`${made.path}/reject`, {})
                : await decisions[then](world, made);
            expectRefused(answer, 409, "changeset_decided");
          },
        ] as const,
    ),
    [
      "moved",
      "An acceptance that expects another current revision is 409 current_revision_conflict with the current one.",
      async (world) => {
        const made = await proposal(world);
        const before = await currentRevision(world, made.workspaceId);
        expectStatus(await put(world, `${made.of}/files`, { path: "y.txt", content: "y" }), 201);
        const current = await checkpoint(world, { workspaceId: made.workspaceId });
        const answer = await accept(world, made, { expected_current_revision: before });
        expectMember(expectRefused(answer, 409, "current_revision_conflict"), "current_revision", current);
      },
    ],
    [
      "moved-changes-nothing",
      "An acceptance that meets a current_revision_conflict leaves the changeset open.",
      async (world) => {
        const made = await undecided(world);
        expectStatus(await accept(world, made, { expected_current_revision: NO_ID }), 409);
        expectMember(await world.get(made.path), "status", "open");
      },
    ],
    [
      "moved-then-current",
      "An acceptance that names the current revision after a conflict is taken, and keeps what was accepted before.",
      async (world) => {
        const made = await proposal(world);
        expectStatus(await put(world, `${made.of}/files`, { path: "y.txt", content: "y" }), 201);
        await checkpoint(world, { workspaceId: made.workspaceId });
        expectStatus(await accept(world, made), 200);
        for (const path of ["x.txt", "y.txt"]) expectStatus(await read(world, `${made.of}/files`, path), 200);
      },
    ],
    [
      "canonical-unsaved",
      "An acceptance over canonical changes that are not saved at the same path is 409 current_revision_conflict.",
      async (world) => {
        const made = await proposal(world);
        expectStatus(await put(world, `${made.of}/files`, { path: "x.txt", content: "mine" }), 201);
        expectRefused(await accept(world, made), 409, "current_revision_conflict");
      },
    ],
    [
      "conflicted",
      "An acceptance of a changeset with conflicts is 409, with their paths.",
      async (world) => {
        const answer = expectRefused(await accept(world, await conflict(world)), 409, "changeset_conflicted");
        expectMember(answer, "paths", ["x.txt"]);
      },
    ],
    [
      "ai-client",
      "An AI client accepts no changeset: 403 with a link for the owner, and it stays open.",
      async (world) => {
        const made = await proposal(world);
        const answer = expectRefused(await accept(world, made, {}, "ai"), 403, "owner_needed");
        expectThat(/https?:\/\//.test(textOf(answer, "error")), "an error text with a link", answer);
        expectMember(await world.get(made.path), "status", "open");
      },
      ["ai_client"],
    ],
    [
      "ai-client-review",
      "What an AI client asks to be accepted waits for the owner as a review action.",
      async (world) => {
        const made = await proposal(world);
        const refused = expectRefused(await accept(world, made, {}, "ai"), 403, "owner_needed");
        const id =
          /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(textOf(refused, "approve_url"))?.[0] ?? "";
        const answer = expectStatus(await world.get(`${made.of}/review-actions/${id}`), 200);
        expectFields(answer, {
          id: exactly(id),
          kind: exactly("accept_changeset"),
          state: exactly("waiting"),
          changeset_id: exactly(made.changesetId),
          approve_url: text,
        });
      },
      ["ai_client"],
    ],
    [
      "review-resolved",
      "A review action ends when its changeset is decided otherwise.",
      async (world) => {
        const made = await proposal(world);
        const refused = expectRefused(await accept(world, made, {}, "ai"), 403, "owner_needed");
        const id =
          /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(textOf(refused, "approve_url"))?.[0] ?? "";
        expectStatus(await world.post(`${made.path}/reject`, {}), 200);
        const answer = expectStatus(await world.get(`${made.of}/review-actions/${id}`), 200);
        expectThat(member(answer.json, "state") !== "waiting", "a state other than waiting", answer);
      },
      ["ai_client"],
    ],
  ]),
  ...(["accept", "resolve"] as const).flatMap((route) =>
    statementsOf("4.6 rule 5", { prefix: route, needs }, [
      ...Object.entries(noEvidence).map(
        ([what, validation_evidence]) =>
          [
            `evidence:${what}`,
            `The route ${route} refuses validation_evidence that is ${what}.`,
            async (world: World) => {
              const answer = await decisions[route](world, await undecided(world), { validation_evidence });
              expectRefused(answer, 400, "invalid_request");
            },
          ] as const,
      ),
      ...Object.entries({ "left out": undefined, null: null, "no id": "current" }).map(
        ([what, expected_current_revision]) =>
          [
            `expected:${what}`,
            `The route ${route} refuses expected_current_revision that is ${what}.`,
            async (world: World) => {
              const answer = await decisions[route](world, await undecided(world), {
                expected_current_revision,
              });
              expectRefused(answer, 400, "invalid_request");
            },
          ] as const,
      ),
      [
        "refused-changes-nothing",
        `A refused ${route} leaves the changeset open.`,
        async (world) => {
          const made = await undecided(world);
          expectStatus(await decisions[route](world, made, { validation_evidence: "" }), 400);
          expectMember(await world.get(made.path), "status", "open");
        },
      ],
    ]),
  ),
  ...statementsOf("4.6 rule 5", { prefix: "resolve", needs }, [
    [
      "conflicted",
      "A changeset that changes the same as the current revision is conflicted, with the conflict's path and sides.",
      async (world) => {
        const { path } = await world.once("conflict", () => conflict(world));
        const answer = expectStatus(await world.get(path), 200);
        expectMember(answer, "status", "conflicted");
        expectMember(answer, "mergeable", false);
        expectMember(answer, "conflicts.0.path", "x.txt");
        for (const side of ["base", "ours", "theirs"])
          expectThat(object.holds(member(answer.json, "conflicts", 0, side)), `a side ${side}`, answer);
      },
    ],
    ...Object.entries({ ours: "ours\n", theirs: "theirs\n" }).map(
      ([take, content]) =>
        [
          `take-${take}`,
          `A conflict that takes ${take} is accepted with that text.`,
          async (world: World) => {
            const made = await conflict(world);
            const answer = await resolve(world, made, { resolutions: [{ path: "x.txt", take }] });
            expectMember(expectStatus(answer, 200), "status", "accepted");
            expectMember(await read(world, `${made.of}/files`, "x.txt"), "content", content);
          },
        ] as const,
    ),
    [
      "take-content",
      "A conflict that is settled by new text is accepted with it.",
      async (world) => {
        const made = await conflict(world);
        const resolutions = [{ path: "x.txt", take: "content", content: "both\n" }];
        expectStatus(await resolve(world, made, { resolutions }), 200);
        expectMember(await read(world, `${made.of}/files`, "x.txt"), "content", "both\n");
      },
    ],
    [
      "by-revision",
      "A conflict is settled by a revision that was made from the current one.",
      async (world) => {
        const made = await conflict(world);
        const { workspaceId } = made;
        const copyId = await makeCopy(world, workspaceId);
        expectStatus(
          await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "settled\n" }, "*"),
          200,
        );
        const resolved_revision_id = await checkpoint(world, { workspaceId, copyId });
        expectStatus(await resolve(world, made, { resolved_revision_id }), 200);
        expectMember(await read(world, `${made.of}/files`, "x.txt"), "content", "settled\n");
      },
    ],
    [
      "revision-behind",
      "A revision that was not made from the current one settles nothing: 409 current_revision_conflict.",
      async (world) => {
        const made = await conflict(world);
        const answer = await resolve(world, made, { resolved_revision_id: made.revisionId });
        expectRefused(answer, 409, "current_revision_conflict");
      },
    ],
    [
      "unsettled",
      "A conflict without a resolution is 409 with its path.",
      async (world) => {
        const answer = await resolve(world, await world.once("conflict", () => conflict(world)), {
          resolutions: [],
        });
        expectMember(expectRefused(answer, 409, "changeset_conflicted"), "paths", ["x.txt"]);
      },
    ],
    [
      "unknown-path",
      "A resolution of a path without a conflict is 400.",
      async (world) => {
        const resolutions = [
          { path: "x.txt", take: "ours" },
          { path: "nowhere.txt", take: "ours" },
        ];
        expectRefused(
          await resolve(world, await world.once("conflict", () => conflict(world)), { resolutions }),
          400,
        );
      },
    ],
    [
      "neither",
      "A resolution that names neither resolutions nor a revision is 400.",
      async (world) => {
        expectRefused(
          await resolve(world, await world.once("conflict", () => conflict(world)), {}),
          400,
          "invalid_request",
        );
      },
    ],
    [
      "moved",
      "A resolution that expects another current revision is 409 current_revision_conflict.",
      async (world) => {
        const made = await world.once("conflict", () => conflict(world));
        const body = { resolutions: [{ path: "x.txt", take: "ours" }], expected_current_revision: NO_ID };
        expectRefused(await resolve(world, made, body), 409, "current_revision_conflict");
      },
    ],
    [
      "ai-client",
      "An AI client resolves no changeset: 403, and it stays conflicted.",
      async (world) => {
        const made = await world.once("conflict", () => conflict(world));
        const body = { resolutions: [{ path: "x.txt", take: "ours" }] };
        expectRefused(await resolve(world, made, body, "ai"), 403, "owner_needed");
        expectMember(await world.get(made.path), "status", "conflicted");
      },
      ["ai_client"],
    ],
  ]),
];
