// The records of schedules: the fields in each state.

import {
  absent,
  dateTime,
  exactly,
  type FieldKind,
  filled,
  integer,
  object,
  optional,
  url,
  uuid,
} from "../kit/field-kinds.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { awaiting, cancelled, confirmed, done, type Made, pending, readSchedule } from "../kit/schedules.ts";
import type { Need, Statement } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";

const ofEach = {
  id: uuid,
  agent_id: uuid,
  kind: exactly("once"),
  prompt: filled,
  fire_at: dateTime,
  metadata: object,
  created_at: dateTime,
};

type State = {
  readonly name: string;
  readonly what: string;
  readonly make: (world: World) => Promise<Made>;
  readonly needs?: readonly Need[];
  readonly fields: Readonly<Record<string, FieldKind>>;
};

const states: readonly State[] = [
  {
    name: "pending",
    what: "A pending schedule of the owner",
    make: pending,
    fields: {
      status: exactly("pending"),
      attempts: exactly(0),
      thread_id: optional(filled),
      last_error: absent,
      last_fired_at: absent,
      confirmed_at: absent,
      confirm_url: absent,
    },
  },
  {
    name: "awaiting",
    what: "A schedule that awaits confirmation",
    make: awaiting,
    needs: ["ai_client"],
    fields: {
      status: exactly("awaiting_confirmation"),
      attempts: exactly(0),
      thread_id: optional(filled),
      last_error: absent,
      last_fired_at: absent,
      confirmed_at: absent,
      confirm_url: url,
    },
  },
  {
    name: "confirmed",
    what: "A confirmed schedule",
    make: confirmed,
    needs: ["ai_client"],
    fields: {
      status: exactly("pending"),
      attempts: exactly(0),
      thread_id: optional(filled),
      last_error: absent,
      last_fired_at: absent,
      confirmed_at: dateTime,
      confirm_url: absent,
    },
  },
  {
    name: "cancelled",
    what: "A cancelled schedule",
    make: cancelled,
    fields: {
      status: exactly("cancelled"),
      attempts: exactly(0),
      thread_id: optional(filled),
      last_error: absent,
      last_fired_at: absent,
      confirmed_at: absent,
      confirm_url: absent,
    },
  },
  {
    name: "done",
    what: "A schedule that has fired",
    make: done,
    needs: ["runs"],
    fields: {
      status: exactly("done"),
      attempts: {
        says: "an integer of at least 1",
        holds: (value) => integer.holds(value) && Number(value) >= 1,
      },
      thread_id: filled,
      last_error: absent,
      last_fired_at: dateTime,
      confirmed_at: absent,
      confirm_url: absent,
    },
  },
];

export const scheduleRecords: readonly Statement[] = states.flatMap(
  ({ name, what, make, needs = [], fields: ofState }) =>
    recordStatements({
      prefix: `schedule-${name}`,
      section: "2.4",
      what,
      needs,
      read: async (world) => await readSchedule(world, await make(world)),
      fields: { ...ofEach, ...ofState },
    }),
);
