// The address at which a workspace receives e-mail. This service receives none. Pure.

import * as z from "zod/mini";

export const inboundEmailSchema = z.object({ address: z.email() });
export type InboundEmailView = z.infer<typeof inboundEmailSchema>;
