/** A container cannot be started now. It waits with this reason, and is tried again. */
export class StartFailure extends Error {
  /** As kubelet names it, such as `CreateContainerConfigError`. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = 'StartFailure';
    this.reason = reason;
  }
}
