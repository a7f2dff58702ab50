// What the fields of members mean. Pure.

import { type Components, component } from "../../component.ts";
import { addMemberRequestSchema, memberListSchema, memberSchema } from "./member.ts";

export const memberComponents: Components = {
  Member: component(memberSchema, "An agent that works in a workspace.", {
    id: "The member's id.",
    workspace_id: "The workspace.",
    agent_id: "The agent.",
    role: "`manager` for the one agent that manages the workspace.",
    created_at: "When it was added.",
  }),
  MemberList: component(memberListSchema, "A page of members, newest first.", {
    items: "The members.",
    next_cursor: "The cursor of the next page; empty at the end.",
  }),
  AddMemberRequest: component(addMemberRequestSchema, "The agent to add.", {
    agent_id: "One of the account's agents that is not retired.",
    role: "`manager` makes it the workspace's manager. Left out: `worker`.",
  }),
};
