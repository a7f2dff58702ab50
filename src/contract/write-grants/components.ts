// What the fields of write grants mean. Pure.

import { type Components, collection, component } from "../component.ts";
import { writeGrantListSchema, writeGrantSchema } from "./write-grant.ts";

export const writeGrantComponents: Components = {
  WriteGrant: component(
    writeGrantSchema,
    "An agent's runs may call tools of this MCP server that change something.",
    {
      agent_id: "The agent.",
      server: "The server's name, or `*` for every server.",
      granted_at: "When its owner granted it.",
    },
  ),
  WriteGrantList: collection(writeGrantListSchema, "Write grants, by server."),
};
