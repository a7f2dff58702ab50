// The idempotency key in a body, for requests that take it there or in their header. Pure.

import * as z from "zod/mini";
import { MAX_IDEMPOTENCY_KEY_CHARS } from "../runs/run-requests.ts";
import { text } from "../text.ts";

/** The header wins over it. */
export const bodyKey = { idempotency_key: z.optional(text(MAX_IDEMPOTENCY_KEY_CHARS)) };
