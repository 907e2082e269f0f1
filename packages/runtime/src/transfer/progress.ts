/** The progress of a transfer. */
export interface TransferProgress {
  /**
   * - `reading`: a backup is being written.
   * - `verifying`: a backup is checked before anything is changed.
   * - `clearing`: what an unfinished transfer left behind is removed.
   * - `writing`: the target is being filled.
   * - `comparing`: the target is read back.
   */
  readonly phase: 'reading' | 'verifying' | 'clearing' | 'writing' | 'comparing';
  readonly objects: number;
  /** Of values. */
  readonly bytes: number;
  /** If it is known in advance. */
  readonly objectsTotal?: number;
}

export interface TransferOptions {
  /** Called about once per page; it must not throw. */
  readonly onProgress?: (progress: TransferProgress) => void;
  /** Ends the transfer with the signal's reason. A target that is being filled stays marked as incomplete. */
  readonly signal?: AbortSignal;
}
