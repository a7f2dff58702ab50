// What the field of a workspace's address means. Pure.

import { type Components, component } from "../../component.ts";
import { inboundEmailSchema } from "./inbound-email.ts";

export const inboundEmailComponents: Components = {
  InboundEmail: component(inboundEmailSchema, "Where a workspace receives e-mail.", {
    address: "The address.",
  }),
};
