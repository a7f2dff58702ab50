// Answers by which a cloud refuses the name of a model, though their status is that of any wrong request. Pure.
// Amazon Bedrock, looked up on 2026-11-29: runtime wants an inference profile, mantle the plain id.

export function refusesModelName(status: number, text: string): boolean {
  return (
    status === 400 &&
    /with on-demand throughput isn.t supported|isn.t supported on this route|provided model identifier is invalid/i.test(
      text,
    )
  );
}
