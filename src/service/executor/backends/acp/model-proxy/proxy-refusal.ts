// A request that the proxy does not pass on, or cannot. The message is for the agent: what, and what to do. No secrets.

export class ProxyRefusal extends Error {
  override readonly name = "ProxyRefusal";
  readonly code = "proxy_refusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** As the clients of every protocol read an error. */
  body(): string {
    const { status, message } = this;
    const error = { type: "proxy_error", code: status, status: "FAILED_PRECONDITION", message };
    return JSON.stringify({ type: "error", error });
  }
}
