// Examples of retention. Pure.

import type { ExamplesOf } from "../../examples.ts";
import { COPY_ID, LATER_REVISION_ID, PIN_ID, REVISION_ID } from "../../story.ts";
import type { retentionRoutes } from "./routes.ts";

const pin = {
  id: PIN_ID,
  revision_id: REVISION_ID,
  reason: "What the release was made of",
  until: null,
  created_at: "2026-03-09T11:00:00.000Z",
};

export const retentionExamples: ExamplesOf<typeof retentionRoutes> = {
  get: {
    answers: {
      200: {
        cleanup: {
          summary: "What is going to be deleted",
          value: {
            view: "cleanup",
            items: [
              { kind: "revision", delete_at: "2026-04-08T10:12:00.000Z", revision_id: LATER_REVISION_ID },
              {
                kind: "trash",
                delete_at: "2026-04-09T08:00:00.000Z",
                working_copy_id: COPY_ID,
                handle: "trash/0198d2c4-9a10-7c55-8b21-1c2d3e4f5a6b",
                path: "docs/old.md",
              },
            ],
            next_cursor: "",
          },
        },
        pins: { summary: "What is pinned", value: { view: "pins", items: [pin], next_cursor: "" } },
        usage: {
          summary: "How much is kept",
          value: { view: "usage", objects: 431, bytes: 1_204_880, revisions: 12, copies: 3 },
        },
      },
    },
  },
  createPin: {
    body: {
      pinForGood: { summary: "For good", value: { revision_id: REVISION_ID, reason: pin.reason } },
    },
    answers: { 201: { pinMade: { summary: "The revision is kept", value: pin } } },
  },
  deletePin: { answers: { 200: { pinDeleted: { summary: "It is kept no more by this", value: pin } } } },
};
