// Why a commit was not attested: the message says what to do.

export class AttestationError extends Error {
  override readonly name = "AttestationError";
}
