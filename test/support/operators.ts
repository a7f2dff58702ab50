// Operators of a core fixture, and browsers in which they are signed in.

import type { Core } from "../../src/service/core/core.ts";
import type { Operator } from "../../src/service/core/operators/operator.ts";
import { openOperatorSession } from "../../src/service/core/operators/operator-sessions.ts";
import { addOperator, makeOperatorLink } from "../../src/service/core/operators/operators.ts";
import type { NewPasskey } from "../../src/service/core/sign-in/passkeys.ts";

type Signing = Pick<Core, "store" | "clock" | "random">;

/** As an authenticator's registration was verified. No signature of it can be. */
export function makePasskey(core: Pick<Core, "random">, fields: Partial<NewPasskey> = {}): NewPasskey {
  return {
    credentialId: Buffer.from(core.random.bytes(16)).toString("base64url"),
    publicKey: "cHVibGlj",
    counter: 1,
    transports: ["internal"],
    isBackedUp: false,
    name: "Ada's laptop",
    ...fields,
  };
}

export async function makeOperator(core: Signing, fields: Partial<NewPasskey> = {}): Promise<Operator> {
  const { token } = await makeOperatorLink(core);
  const id = core.random.uuid(core.clock.now());
  const passkey = makePasskey(core, fields);
  const added = await addOperator(core, { id, token, passkey, requestId: "request" });
  if (!added.ok) throw new Error(`The operator was refused: ${added.refusal.reason}`);
  return added.value;
}

/** Signs an operator in, who is made unless told. The cookie is that of plain http. */
export async function signInOperator(
  core: Signing,
  operator?: Operator,
): Promise<{ readonly operator: Operator; readonly secret: string; readonly cookie: string }> {
  const who = operator ?? (await makeOperator(core));
  const { secret } = await openOperatorSession(core, {
    who: { kind: "passkey", operator: who },
    earlier: null,
    requestId: "request",
  });
  return { operator: who, secret, cookie: `operator=${secret}` };
}
