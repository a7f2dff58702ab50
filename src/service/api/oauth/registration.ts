// A client that registers itself (RFC 7591): the metadata that a public client needs. Pure.

import * as z from "zod/mini";
import { grantTypes } from "./grant-types.ts";

const MAX_REDIRECTS = 20;
const MAX_URI_CHARS = 500;
const MAX_NAME_CHARS = 100;

const registrationSchema = z.object({
  redirect_uris: z._default(
    z.array(z.string().check(z.maxLength(MAX_URI_CHARS))).check(z.maxLength(MAX_REDIRECTS)),
    [],
  ),
  client_name: z.optional(z.string().check(z.maxLength(MAX_NAME_CHARS))),
  grant_types: z.optional(z.array(z.string())),
});

type Registration = {
  readonly redirect_uris: readonly string[];
  readonly client_name?: string;
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: "none";
  readonly application_type: "native";
};

/** The metadata that is registered; null where the request has none. Other members name what is never used, e.g. a logo. */
export function registrationOf(text: string): Registration | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const read = registrationSchema.safeParse(value);
  if (!read.success) return null;
  const { redirect_uris, client_name, grant_types } = read.data;
  const allowed: readonly string[] = Object.values(grantTypes);
  const asked = (grant_types ?? [grantTypes.code, grantTypes.refresh]).filter((one) => allowed.includes(one));
  const isDevice = asked.includes(grantTypes.device) && !asked.includes(grantTypes.code);
  // Only what is led back to an address needs one (RFC 7591, section 2).
  if (redirect_uris.length === 0 && !isDevice) return null;
  const byCode = redirect_uris.length > 0;
  return {
    redirect_uris,
    ...(client_name === undefined ? {} : { client_name }),
    grant_types: [...new Set([...(byCode ? [grantTypes.code] : []), ...asked])],
    response_types: byCode ? ["code"] : [],
    token_endpoint_auth_method: "none",
    application_type: "native",
  };
}
