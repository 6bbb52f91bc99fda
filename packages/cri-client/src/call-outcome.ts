/**
 * Effect of a failed call:
 *
 * - `none`: no effect. The call was not sent, the runtime lacks the RPC, or the RPC only reads.
 * - `rejected`: the runtime reported a failure and no longer works on the call. The call may have had a partial effect.
 * - `unknown`: the call was sent and not answered. The runtime may have done it, may still work on it, or may never have received it. List before a retry: a
 *   second `CreateContainer` fails with `name is reserved` if the first one took effect.
 */
export type CallOutcome = 'none' | 'rejected' | 'unknown';
