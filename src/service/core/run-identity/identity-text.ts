// The text for an agent about the ID tokens that its commands get. Pure.

/** One sentence, or none. */
export function identityText(audiences: readonly string[]): readonly string[] {
  if (audiences.length === 0) return [];
  const named = audiences.join(", ");
  return [
    `Commands get ID tokens of this run as in GitHub Actions (ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN), for these audiences alone: ${named}.`,
  ];
}
